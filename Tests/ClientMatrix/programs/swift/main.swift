// FoundationNetworking's URLSession. adapter.py documents the input and the output.

import Foundation
import FoundationNetworking

struct Upload: Decodable {
    var bytes: Int
    var chunked: Bool
    var expect: Bool
}

struct Following: Decodable {
    var url: String
    var method: String
    var fields: [String: String]
}

struct Case: Decodable {
    var url: String
    var method: String
    var fields: [String: String]
    var http: String
    var timeout: Double
    var kind: String
    var upload: Upload?
    var next: Following?
}

struct Answer: Encodable {
    var status: Int?
    var fields: [String: String]?
    var body: String?
    var length: Int?
    var error: String?
    var message: String?
    var unsupported: String?
    var seconds = 0.0
}

struct Answers: Encodable {
    var first: Answer
    var next: Answer?

    func encode(to encoder: any Encoder) throws {
        try self.first.encode(to: encoder)
        if let next = self.next {
            enum Key: String, CodingKey { case next }
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(next, forKey: .next)
        }
    }
}

func content(_ upload: Upload) -> Data {
    let piece = Data("0123456789abcdef".utf8)
    var data = Data(capacity: upload.bytes)
    while data.count < upload.bytes { data.append(piece.prefix(upload.bytes - data.count)) }
    return data
}

func failure(_ error: any Error) -> Answer {
    let error = error as NSError
    return Answer(error: "\(error.domain) \(error.code)", message: error.localizedDescription)
}

func answer(_ response: URLResponse, _ data: Data) -> Answer {
    guard let response = response as? HTTPURLResponse else { return Answer(error: "no HTTP") }
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
        fields["\(name)".lowercased()] = "\(value)"
    }
    let text = String(decoding: data.prefix(8192), as: UTF8.self)
    return Answer(status: response.statusCode, fields: fields, body: text, length: data.count)
}

/// Collects what arrives until there is an event.
final class EventTask: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    var text = Data()
    let done: @Sendable (Answer) -> Void

    init(done: @escaping @Sendable (Answer) -> Void) { self.done = done }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.text.append(data)
        let lines = String(decoding: self.text, as: UTF8.self).split(separator: "\n")
        if let event = lines.first(where: { $0.hasPrefix("data:") }),
            let response = dataTask.response
        {
            self.done(answer(response, Data(event.utf8)))
            dataTask.cancel()
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        if let error { self.done(failure(error)) }
    }
}

func request(_ url: String, _ method: String, _ fields: [String: String], _ timeout: Double)
    -> URLRequest
{
    var request = URLRequest(url: URL(string: url).unsafelyUnwrapped, timeoutInterval: timeout)
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
}

func ask(_ session: URLSession, _ asked: URLRequest, _ upload: Upload?) async -> Answer {
    var asked = asked
    do {
        guard let upload else {
            let (data, response) = try await session.data(for: asked)
            return answer(response, data)
        }
        if upload.expect { return Answer(unsupported: "does not wait for 100") }
        if upload.chunked {
            asked.httpBodyStream = InputStream(data: content(upload))
            let (data, response) = try await session.data(for: asked)
            return answer(response, data)
        }
        let (data, response) = try await session.upload(for: asked, from: content(upload))
        return answer(response, data)
    } catch {
        return failure(error)
    }
}

func handshake(_ session: URLSession, _ asked: URLRequest) async -> Answer {
    let task = session.webSocketTask(with: asked)
    task.resume()
    do {
        _ = try await task.receive()
        return Answer(error: "opened")
    } catch {
        guard let response = task.response else { return failure(error) }
        return answer(response, Data())
    }
}

func timed(_ action: () async -> Answer) async -> Answer {
    let began = ContinuousClock.now
    var result = await action()
    let (seconds, attoseconds) = (ContinuousClock.now - began).components
    result.seconds = Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1000
    return result
}

func say(_ value: some Encodable) throws {
    let line = try JSONEncoder().encode(value)
    FileHandle.standardOutput.write(line + Data("\n".utf8))
}

try say(["version": CommandLine.arguments.dropFirst().joined(separator: " ")])
while let line = readLine() {
    let given = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = given.timeout
    let asked = request(given.url, given.method, given.fields, given.timeout)
    let session = URLSession(configuration: configuration)
    let first: Answer
    switch given.kind {
    case "websocket":
        first = await timed { await handshake(session, asked) }
    case "events":
        first = await timed {
            await withCheckedContinuation { continuation in
                nonisolated(unsafe) var isDone = false
                let delegate = EventTask { result in
                    if !isDone { continuation.resume(returning: result) }
                    isDone = true
                }
                URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
                    .dataTask(with: asked).resume()
            }
        }
    default:
        first = await timed { await ask(session, asked, given.upload) }
    }
    var answers = Answers(first: first)
    if let next = given.next {
        answers.next = await timed {
            await ask(session, request(next.url, next.method, next.fields, given.timeout), nil)
        }
    }
    session.invalidateAndCancel()
    try say(answers)
}
