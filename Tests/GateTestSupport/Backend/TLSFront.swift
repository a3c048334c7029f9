import Foundation
import Glibc

/// Terminates TLS for a port on 127.0.0.1, in a Python process of its own.
package final class TLSFront: Sendable {
    /// Whether Python is installed.
    package static var canRun: Bool { ToolProcess.isInstalled("python3") }

    package let port: UInt16
    private let process: Process
    private let output: OutputCollector

    /// Starts listening.
    ///
    /// `version` is the only supported TLS version, such as `TLSv1`; `nil` means the default versions. `protocols` are
    /// the ALPN protocols. Connections that negotiate HTTP/2 are forwarded to `http2Port`.
    package init(
        to port: UInt16,
        certificate: String,
        key: String,
        version: String? = nil,
        protocols: [String] = [],
        http2Port: UInt16? = nil
    ) throws {
        let output = OutputCollector()
        let process = Process()
        process.executableURL = try ToolProcess.locate("python3")
        process.arguments = [
            "-c", Self.program, "\(port)", certificate, key, version ?? "",
            protocols.joined(separator: ","), "\(http2Port ?? port)",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.pipe
        process.standardError = FileHandle.nullDevice
        try process.start()
        output.start()
        (self.process, self.output) = (process, output)
        do {
            let line = try output.collected.wait(for: "a TLS front") { collected in
                collected.lines.first ?? (collected.hasEnded ? "" : nil)
            }
            guard let port = UInt16(line) else { throw HarnessError("the TLS front did not start") }
            self.port = port
        } catch {
            _ = Glibc.kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    deinit {
        self.kill()
    }

    /// Kills the process at once, so that its peers get no close_notify.
    package func kill() {
        if self.process.isRunning { _ = Glibc.kill(self.process.processIdentifier, SIGKILL) }
    }

    /// Returns the server names that clients have requested, once there are at least `count`.
    package func serverNames(atLeast count: Int) throws -> [String] {
        // The other process's output may arrive after the response that it forwarded.
        try self.output.collected.wait(for: "\(count) server names") { collected in
            let names = collected.lines.dropFirst()
            return names.count >= count || collected.hasEnded ? names.map { String($0) } : nil
        }
    }

    private static let program = """
        import asyncio, ssl, sys
        port, certificate, key, version, protocols, http2_port = sys.argv[1:7]
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if version:
            tls.set_ciphers("ALL:@SECLEVEL=0")
            tls.minimum_version = tls.maximum_version = ssl.TLSVersion[version]
        tls.load_cert_chain(certificate, key)
        if protocols:
            tls.set_alpn_protocols(protocols.split(","))
        tls.sni_callback = lambda connection, name, context: print(name, flush=True)
        async def pump(reader, writer):
            try:
                while data := await reader.read(65536):
                    writer.write(data)
                    await writer.drain()
            except OSError:
                pass
            writer.close()
        async def serve(reader, writer):
            agreed = writer.get_extra_info("ssl_object").selected_alpn_protocol()
            to = http2_port if agreed == "h2" else port
            plain = await asyncio.open_connection("127.0.0.1", int(to))
            await asyncio.gather(pump(reader, plain[1]), pump(plain[0], writer))
        async def main():
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()
        asyncio.run(main())
        """
}
