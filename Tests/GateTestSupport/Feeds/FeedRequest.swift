/// A request that a source received.
package struct FeedRequest: Sendable, Decodable {
    /// The number of the request, starting at 1.
    package var number: Int
    /// The seconds since 1970.
    package var time: Double
    /// The listener that received the request: `main`, or `other` or `plain` after a redirect to another host or to
    /// plain HTTP.
    package var listener: String
    package var method: String
    package var target: String
    package var path: String
    package var query: [String: String]
    /// The fields, by their lowercase names.
    ///
    /// Several values are joined by commas.
    package var headers: [String: String]
    /// The body; `nil` if it is not UTF-8.
    package var body: String?
    /// The fault that affected the request.
    package var fault: String?
    /// The status of the response; `nil` as long as there is no response.
    package var status: Int?
}
