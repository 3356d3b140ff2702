import Commands

await runCommandLine()
