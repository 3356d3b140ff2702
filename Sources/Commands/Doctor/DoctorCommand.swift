import ArgumentParser
import Foundation

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Examines what orchestrator needs on this machine, and says what to do about it.",
    discussion: "It fails when something that is needed does not work."
  )

  @OptionGroup var options: CoordinatorOptions
  @OptionGroup var door: DoorOptions

  @Flag(help: "Write JSON.")
  var json = false

  func run() async throws {
    try await reporting {
      let diagnoses = await Doctor(options, door, ProcessInfo.processInfo.environment).examine()
      if json {
        Terminal.show(try JSONOutput.document(diagnoses))
      } else {
        for diagnosis in diagnoses { Terminal.show(diagnosis) }
      }
      if diagnoses.contains(where: { $0.verdict == .failure }) { throw ExitCode.failure }
    }
  }
}
