/// What a large file is full of: a regular expression, which is made anew wherever it stands, costs
/// a thousand times as much.
extension UInt8 {
    /// Whether it is an ASCII letter.
    var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// Whether it is an ASCII letter or digit.
    var isLetterOrDigit: Bool { self.isLetter || (0x30...0x39).contains(self) }
}
