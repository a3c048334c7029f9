/// The top-level `serial` of a rules file: a number that increases with every change.
package struct RulesSerial {
    static let key = "serial"

    package let number: UInt64

    /// Reads the serial; returns `nil` if the file has none.
    ///
    /// - Throws: The error in the file or in the serial.
    package init?(of source: RulesSource) throws(RulesFileError) {
        let problems = Problems()
        guard let element = try source.parsed()[Self.key] else { return nil }
        guard let number = element.wholeNumber("a serial", problems) else {
            if let problem = problems.sorted(byFiles: [source.name]).first { throw problem }
            return nil
        }
        self.number = number
    }
}
