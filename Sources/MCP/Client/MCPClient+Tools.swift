import Transcripts

/// The tools of a server, of which each page comes in an answer of its own.
struct ToolListing: Sendable {
  static let maximumPages = 64
  static let maximumTools = 512
  /// The most bytes of all pages together.
  static let maximumBytes = 4 << 20

  /// Tells one listing from the next; one that is begun again keeps its number and its time.
  var number = 0
  /// The number of the request for the next page; `nil` when none is under way.
  var id: Int?
  var tools: [MCPListedTool] = []
  var pages = 0
  var bytes = 0
  /// Whether the tools have changed since the first page was asked for.
  var isOutdated = false
}

extension MCPClient {
  mutating func listTools() {
    listing = ToolListing(number: listing.number + 1)
    requestPage(nil)
    emit(.start(.list(listing.number), after: Self.listPatience))
  }

  private mutating func requestPage(_ cursor: String?) {
    listing.pages += 1
    listing.id = request("tools/list", cursor.map { [("cursor", .text($0))] } ?? [])
  }

  mutating func toolsChanged() {
    guard session?.hasTools == true else { return }
    if listing.id == nil { listTools() } else { listing.isOutdated = true }
  }

  mutating func receiveList(_ answer: Result<GeneratedContent, JSONRPCError>) {
    listing.id = nil
    switch answer {
    case .failure(let error): fail(.noList(error))
    case .success(let page):
      listing.bytes += page.jsonString.utf8.count
      guard listing.bytes <= ToolListing.maximumBytes else {
        return fail(.noList(JSONRPCError(.internalError, "the list is too long")))
      }
      listing.tools += (page["tools"]?.elements ?? []).compactMap { MCPListedTool($0) }
      let isFull =
        listing.pages >= ToolListing.maximumPages
        || listing.tools.count >= ToolListing.maximumTools
      if let cursor = page["nextCursor"]?.text, !isFull { return requestPage(cursor) }
      if listing.isOutdated {
        listing = ToolListing(number: listing.number)
        return requestPage(nil)
      }
      // The first of one name counts, as for a reader of the list.
      var names: Set<String> = []
      let tools = listing.tools.prefix(ToolListing.maximumTools)
        .filter { names.insert($0.name).inserted }
      listing.tools = []
      emit(.listed(tools.sorted { $0.name < $1.name }))
    }
  }

  mutating func listTimedOut(_ number: Int) {
    if listing.id != nil, listing.number == number { fail(.noList(nil)) }
  }
}
