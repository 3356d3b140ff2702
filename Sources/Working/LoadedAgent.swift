import AgentKit
import Wire

/// An agent with its plugin and its model in this process.
struct LoadedAgent {
  let agent: any Agent
  let readiness: Readiness

  init(_ hello: Hello) throws(Inability) {
    do {
      agent = try Plugin.load(hello.plugin).init()
    } catch {
      throw Inability(.plugin, error.description)
    }
    let model = try hello.model.map { path throws(Inability) in
      try LocalModel.load(path, contextSize: hello.contextSize)
    }
    readiness = Readiness(agent: AgentDescription(agent), model: model)
  }
}
