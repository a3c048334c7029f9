/// The top-level `serial` of a rules file: a number that increases with every change.
package struct RulesSerial {
    static let key = "serial"

    package let number: UInt64

    /// Reads the serial; `nil` if the file has none.
    ///
    /// - Throws: The error in the file or in the serial.
    package init?(of source: RulesSource) throws(RulesFileError) {
        var parser = DocumentParser(source)
        let problems = Problems()
        guard case .mapping(let entries) = try parser.parse().content,
            let element = entries.first(where: { $0.key == Self.key })?.value
        else { return nil }
        guard let number = element.wholeNumber("a serial", problems) else {
            if let problem = problems.sorted(byFiles: [source.name]).first { throw problem }
            return nil
        }
        self.number = number
    }
}
