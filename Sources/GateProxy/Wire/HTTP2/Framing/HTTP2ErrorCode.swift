/// Why a stream or a connection is ended (RFC 9113 7).
enum HTTP2ErrorCode: UInt32, Error {
    case noError = 0x0
    case protocolError = 0x1
    case internalError = 0x2
    case flowControlError = 0x3
    case streamClosed = 0x5
    case frameSizeError = 0x6
    case refusedStream = 0x7
    case cancel = 0x8
    case compressionError = 0x9
    case enhanceYourCalm = 0xB
}
