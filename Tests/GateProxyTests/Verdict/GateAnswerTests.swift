import GateWire
import Testing

@testable import GateProxy

struct GateAnswerTests {
    @Test func `a response from the gate has problem details`() {
        let answer = GateAnswer(status: 504, detail: "Too late.")
        #expect(
            answer.body
                == #"{"type":"about:blank","title":"Gateway Timeout","status":504,"detail":"Too late."}"#
        )
    }

    @Test(
        arguments: [
            (.startLine, 400), (.version, 400), (.host, 400), (.bothLengths, 400), (.chunkEnd, 400),
            (.targetTooLong, 414), (.headTooLarge, 431), (.tooManyFields, 431),
            (.unsupportedMethod, 501), (.unsupportedProtocol, 501),
            (.unsupportedTransferCoding, 501),
            (.unsupportedVersion, 505),
        ] as [(MessageFault, Int)]
    )
    func `a fault has the status of RFC 9110`(_ fault: MessageFault, _ status: Int) {
        let answer = GateAnswer(fault)
        #expect(answer.status == status)
        #expect(answer.detail == fault.explanation)
        #expect(StatusLine.reason(status) != "")
    }

    @Test func `no text of a response needs escaping`() {
        let faults: [MessageFault] = [
            .startLine, .method, .target, .version, .unsupportedVersion, .unsupportedMethod,
            .unsupportedProtocol, .lineEnd, .fieldName, .fieldValue, .foldedField, .host,
            .contentLength,
            .transferEncoding, .unsupportedTransferCoding, .bothLengths, .chunkSize,
            .chunkExtension, .chunkEnd, .trailer, .headTooLarge, .tooManyFields, .targetTooLong,
            .status,
        ]
        let answers: [GateAnswer] =
            faults.map { GateAnswer($0) } + [
                .requestTimeout, .contentTooLarge, .badGateway, .unreachable, .overloaded,
                .connectTimeout, .gatewayTimeout,
            ]
        for answer in answers {
            #expect(!answer.detail.contains { $0 == "\"" || $0 == "\\" || $0.isNewline })
            #expect(StatusLine.reason(answer.status) != "")
        }
    }

    @Test func `a status line has its space, with and without a reason`() {
        #expect(StatusLine.text(426) == "HTTP/1.1 426 Upgrade Required\r\n")
        #expect(StatusLine.text(499) == "HTTP/1.1 499 \r\n")
    }
}
