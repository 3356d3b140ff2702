/// A dictionary that forgets what was added first.
struct BoundedDictionary<Key: Hashable, Value> {
  private var values: [Key: Value] = [:]
  private var order: [Key] = []
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  subscript(key: Key) -> Value? {
    get { values[key] }
    set {
      guard let newValue else {
        if values.removeValue(forKey: key) != nil { order.removeAll { $0 == key } }
        return
      }
      if values.updateValue(newValue, forKey: key) == nil { order.append(key) }
      if order.count > limit { values[order.removeFirst()] = nil }
    }
  }
}
