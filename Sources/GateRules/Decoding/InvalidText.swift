/// The reason why a string is not a valid value, to append to `'…' is not …: `.
package struct InvalidText: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
