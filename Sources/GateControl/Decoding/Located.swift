/// A value and the place that says it, for checks that look across files.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place
}
