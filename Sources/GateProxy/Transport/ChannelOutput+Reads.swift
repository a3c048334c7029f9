import NIOCore

/// The size of reads from the socket.
extension ChannelOutput {
    /// Reads into large buffers from now on.
    ///
    /// Each read costs a system call, a write, and one partly filled segment, which two kernels
    /// process: the gate's and the receiver's.
    func useLargeReads(_ buffers: LargeBuffers) {
        let buffers = NIOLoopBound(buffers, eventLoop: self.context.eventLoop)
        let allocator = LargeReadAllocator(buffers, expectsLargeReads: true)
        let options = self.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: allocator)
        // The channel keeps one buffer for each read of an event-loop tick.
        try? options?.setOption(.maxMessagesPerRead, value: 1)
    }

    /// Restores the read settings that a new channel has.
    func useDefaultReads() {
        let options = self.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        try? options?.setOption(.maxMessagesPerRead, value: Self.defaultReadsPerTick)
    }

    /// NIO's default number of reads per tick.
    private static let defaultReadsPerTick: UInt = 4
}
