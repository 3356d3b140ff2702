import Foundation

/// A GGUF file under construction: its metadata and its tensors.
struct GGUFFile {
  enum Value {
    case short(UInt16)
    case number(UInt32)
    case signed(Int32)
    case real(Float)
    case flag(Bool)
    case text(String)
    case reals([Float])
    case numbers([Int32])
    case texts([String])
  }

  private struct Tensor {
    let name: String
    let shape: [Int]
    let values: [Float]
  }

  private static let alignment = 32

  private var fields: [(name: String, value: Value)] = []
  private var tensors: [Tensor] = []
  /// The weights mean nothing, but they are the same in each run.
  private var noise = Noise(seed: 27)

  mutating func set(_ name: String, _ value: Value) {
    fields.append((name, value))
  }

  /// Adds a tensor of small random numbers; the first size is the one that varies fastest.
  mutating func addNoise(_ name: String, _ shape: Int..., scale: Float = 0.4) {
    let count = shape.reduce(1, *)
    let values = (0..<count).map { _ in noise.next() * scale }
    tensors.append(Tensor(name: name, shape: shape, values: values))
  }

  /// Adds a tensor of equal numbers.
  mutating func add(_ name: String, _ count: Int, of value: Float) {
    let values = Array(repeating: value, count: count)
    tensors.append(Tensor(name: name, shape: [count], values: values))
  }

  var data: Data {
    var data = Data("GGUF".utf8)
    data.add(UInt32(3))
    data.add(UInt64(tensors.count))
    data.add(UInt64(fields.count))
    for field in fields {
      data.add(field.name)
      data.add(field.value)
    }
    var offset = 0
    for tensor in tensors {
      data.add(tensor.name)
      data.add(UInt32(tensor.shape.count))
      for size in tensor.shape { data.add(UInt64(size)) }
      data.add(UInt32(0))
      data.add(UInt64(offset))
      offset += Self.padded(tensor.values.count * 4)
    }
    data.count = Self.padded(data.count)
    for tensor in tensors {
      for value in tensor.values { data.add(value.bitPattern) }
      data.count = Self.padded(data.count)
    }
    return data
  }

  /// The model split into several files, as llama.cpp splits one.
  func parts(_ count: Int) -> [Data] {
    let size = (tensors.count + count - 1) / count
    return (0..<count).map { number in
      var part = self
      part.tensors = Array(tensors.dropFirst(number * size).prefix(size))
      part.set("split.no", .short(UInt16(number)))
      part.set("split.count", .short(UInt16(count)))
      part.set("split.tensors.count", .signed(Int32(tensors.count)))
      return part.data
    }
  }

  private static func padded(_ count: Int) -> Int {
    (count + alignment - 1) / alignment * alignment
  }
}

extension Data {
  fileprivate mutating func add(_ number: some FixedWidthInteger) {
    var number = number.littleEndian
    Swift.withUnsafeBytes(of: &number) { append(contentsOf: $0) }
  }

  fileprivate mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  fileprivate mutating func add(_ value: GGUFFile.Value) {
    switch value {
    case .short(let number):
      add(UInt32(2))
      add(number)
    case .signed(let number):
      add(UInt32(5))
      add(number)
    case .number(let number):
      add(UInt32(4))
      add(number)
    case .real(let real):
      add(UInt32(6))
      add(real.bitPattern)
    case .flag(let flag):
      add(UInt32(7))
      add(UInt8(flag ? 1 : 0))
    case .text(let text):
      add(UInt32(8))
      add(text)
    case .reals(let reals):
      addArray(6, reals.count)
      for real in reals { add(real.bitPattern) }
    case .numbers(let numbers):
      addArray(5, numbers.count)
      for number in numbers { add(number) }
    case .texts(let texts):
      addArray(8, texts.count)
      for text in texts { add(text) }
    }
  }

  private mutating func addArray(_ kind: UInt32, _ count: Int) {
    add(UInt32(9))
    add(kind)
    add(UInt64(count))
  }
}

/// Pseudorandom numbers from -1 to 1.
struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> Float {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 23) - 1
  }
}
