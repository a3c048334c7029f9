import Foundation
import GateTestSupport

/// A client that performs its steps and records the responses.
struct ClientPlay {
    /// The timeout: much longer than a proxy on the same machine needs, including its response
    /// timeout.
    private static let patience = Duration.seconds(4)
    /// The maximum number of responses, more than any case requires.
    private static let maximumAnswers = 40

    private let port: UInt16
    private let backend: ScriptedBackend
    private let firstConnection: Int

    init(port: UInt16, backend: ScriptedBackend, firstConnection: Int) {
        self.port = port
        self.backend = backend
        self.firstConnection = firstConnection
    }

    func play(_ steps: [ClientStep]) throws -> Observation {
        var observation = Observation()
        var connection = 0
        var client = try RawClient(port: self.port)
        defer { client.close() }
        for step in steps {
            if case .reconnect = step {
                client.close()
                client = try RawClient(port: self.port)
                connection += 1
                observation.ending = nil
                observation.trouble = nil
                continue
            }
            do {
                try self.take(step, client, connection, &observation)
            } catch {
                observation.trouble = observation.trouble ?? "\(error)"
            }
        }
        return observation
    }

    private var deadline: Deadline { .after(Self.patience) }

    private func take(
        _ step: ClientStep,
        _ client: RawClient,
        _ connection: Int,
        _ observation: inout Observation
    ) throws {
        switch step {
        case .send(let bytes):
            try client.send(bytes, by: self.deadline)
        case .sendInPieces(let bytes, let size):
            for start in stride(from: 0, to: bytes.count, by: size) {
                try client.send(Array(bytes[start..<min(start + size, bytes.count)]))
            }
        case .answer:
            try self.readAnswer(client, connection, &observation)
        case .answerToHead:
            try self.readAnswer(client, connection, &observation, toHead: true)
        case .interim:
            try self.readInterim(client, &observation)
        case .bytes(let count):
            observation.bytes += try client.bytes(count, by: self.deadline)
        case .readToFollower:
            try self.readToFollower(client, connection, &observation)
        case .follow:
            try client.send(ClientStep.follower.latin1, by: self.deadline)
            try self.readToFollower(client, connection, &observation)
        case .readToEnd:
            while observation.ending == nil, observation.answers.count < Self.maximumAnswers {
                try self.readAnswer(client, connection, &observation)
            }
        case .awaitRequests(let count):
            try self.wait("\(count) requests") { $0.flatMap(\.exchanges).count >= count }
        case .awaitBody(let count):
            try self.wait("\(count) bytes of a body") {
                ($0.first?.exchanges.first?.bodyLength ?? 0) >= count
            }
        case .awaitBackendEnd:
            try self.wait("the end at the backend") { $0.first?.end != nil }
        case .pause(let milliseconds):
            Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
        case .finishSending:
            client.finishSending()
        case .reset:
            client.reset()
        case .reconnect:
            break
        }
    }

    private func wait(
        _ awaited: String,
        until isThere: ([BackendRecord.Connection]) -> Bool
    ) throws {
        try self.backend.wait(for: awaited, by: self.deadline) { record in
            isThere(Array(record.connections[self.firstConnection...])) ? true : nil
        }
    }

    private func readToFollower(
        _ client: RawClient,
        _ connection: Int,
        _ observation: inout Observation
    ) throws {
        while observation.ending == nil, observation.answers.count < Self.maximumAnswers {
            try self.readAnswer(client, connection, &observation)
            if observation.answers.last?.isToFollower == true { return }
        }
    }

    private func readInterim(_ client: RawClient, _ observation: inout Observation) throws {
        if let head = try client.head(by: self.deadline) {
            observation.pending.append(head)
        } else {
            observation.ending = client.ending
        }
    }

    private func readAnswer(
        _ client: RawClient,
        _ connection: Int,
        _ observation: inout Observation,
        toHead: Bool = false
    ) throws {
        while true {
            guard
                let response = try client.responseIfAny(by: self.deadline, toHead: toHead)
            else {
                observation.ending = client.ending ?? .closed
                return
            }
            if response.status < 200, response.status != 101 {
                observation.pending.append(response)
                continue
            }
            let answer = Observation.Answer(
                connection: connection,
                interim: observation.pending,
                response: response,
                echo: try? response.json(EchoReport.self)
            )
            observation.pending = []
            observation.answers.append(answer)
            if !response.isComplete || response.framing == .untilClose {
                observation.ending = client.ending
            }
            return
        }
    }
}
