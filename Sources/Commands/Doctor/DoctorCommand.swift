import ArgumentParser
import Coordinator
import Doors
import Foundation
import Terminal

struct DoctorCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Checks what orchestrator needs on this machine, and says how to fix problems.",
    discussion: "Fails if something required does not work."
  )

  @OptionGroup var options: CoordinatorOptions
  @OptionGroup var door: DoorOptions

  @Flag(help: "Write JSON.")
  var json = false

  func perform() async throws {
    let diagnoses = await Doctor(options, door, ProcessInfo.processInfo.environment).examine()
    if json {
      Terminal.show(json: try JSONOutput.document(diagnoses))
    } else {
      for diagnosis in diagnoses { Terminal.show(diagnosis.lines) }
    }
    if diagnoses.contains(where: { $0.verdict == .failure }) { throw ExitCode.failure }
  }
}
