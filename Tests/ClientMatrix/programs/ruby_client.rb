# Net::HTTP, Faraday or HTTPClient. adapter.py documents the input and the output.

require 'faraday'
require 'httpclient'
require 'json'
require 'net/http'
require 'stringio'

Unsupported = Class.new(StandardError)
PIECE = '0123456789abcdef' * 4096

def content(upload)
  (PIECE * (upload['bytes'] / PIECE.size + 1))[0, upload['bytes']]
end

def answer(status, fields, body)
  names = fields.to_h { |name, value| [name.downcase, Array(value).join(', ')] }
  { status: status, fields: names, body: body.to_s.dup.force_encoding('UTF-8').scrub[0, 8192], length: body.to_s.bytesize }
end

def first_event(text)
  text[/^data:.*(?=\n)/]
end

class NetHTTP
  def initialize(given)
    address = URI(given['url'])
    @http = Net::HTTP.new(address.host, address.port, nil)
    @http.use_ssl = address.scheme == 'https'
    @http.ca_file = given['ca']
    @http.open_timeout = @http.read_timeout = @http.write_timeout = given['timeout']
    @http.continue_timeout = 5
    @http.start
  end

  def ask(given)
    address = URI(given['url'])
    request = Net::HTTPGenericRequest.new(given['method'], !given['upload'].nil?, given['method'] != 'HEAD', address.path, given['fields'])
    if (upload = given['upload'])
      request['Expect'] = '100-continue' if upload['expect']
      request.body_stream = StringIO.new(content(upload))
      upload['chunked'] ? request['Transfer-Encoding'] = 'chunked' : request['Content-Length'] = upload['bytes'].to_s
      request['Content-Type'] = 'application/octet-stream'
    end
    if given['kind'] == 'events'
      @http.request(request) do |response|
        text = +''
        response.read_body do |piece|
          text << piece
          return answer(response.code.to_i, response.to_hash, first_event(text)) if first_event(text)
        end
      end
    end
    response = @http.request(request)
    answer(response.code.to_i, response.to_hash, response.body)
  end

  def close
    @http.finish
  end
end

class ByFaraday
  def initialize(given)
    @connection = Faraday.new(ssl: { ca_file: given['ca'] }, proxy: nil, request: { timeout: given['timeout'] })
  end

  def ask(given)
    upload = given['upload']
    raise Unsupported, 'does not wait for 100' if upload && upload['expect']
    raise Unsupported, 'no body without a length' if upload && upload['chunked']
    raise Unsupported, 'no streams with its default adapter' if given['kind'] == 'events'

    response = @connection.run_request(given['method'].downcase.to_sym, given['url'], upload && content(upload), given['fields'])
    answer(response.status, response.headers, response.body)
  end
end

class ByHTTPClient
  def initialize(given)
    @client = HTTPClient.new
    @client.ssl_config.set_trust_ca(given['ca'])
    @client.connect_timeout = @client.send_timeout = @client.receive_timeout = given['timeout']
  end

  def ask(given)
    upload = given['upload']
    raise Unsupported, 'does not wait for 100' if upload && upload['expect']

    body = upload && content(upload)
    body = StringIO.new(body).tap { |source| source.singleton_class.undef_method(:size) } if upload && upload['chunked']
    if given['kind'] == 'events'
      text = +''
      @client.request('GET', given['url'], header: given['fields']) do |response, piece|
        text << piece
        return answer(response.status, response.headers, first_event(text)) if first_event(text)
      end
    end
    response = @client.request(given['method'], given['url'], body: body, header: given['fields'])
    answer(response.status, response.headers, response.body)
  end

  def close
    @client.reset_all
  end
end

def timed
  began = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  result = begin
    yield
  rescue Unsupported => e
    { unsupported: e.message }
  rescue StandardError => e
    { error: e.class.name, message: e.message }
  end
  result.merge(seconds: (Process.clock_gettime(Process::CLOCK_MONOTONIC) - began).round(3))
end

LIBRARIES = {
  'net_http' => [NetHTTP, "Ruby #{RUBY_VERSION}"],
  'faraday' => [ByFaraday, "Faraday #{Faraday::VERSION}"],
  'httpclient' => [ByHTTPClient, "httpclient #{HTTPClient::VERSION}"]
}.freeze
library, version = LIBRARIES.fetch(ARGV[0])
$stdout.sync = true
puts JSON.generate(version: version)
$stdin.each_line do |line|
  given = JSON.parse(line)
  client = nil
  result = timed do
    raise Unsupported, 'HTTP/1.1 only' if given['http'] == '2'
    raise Unsupported, 'no WebSocket' if given['kind'] == 'websocket'

    client = library.new(given)
    client.ask(given)
  end
  result[:next] = timed { client.ask(given['next'].merge('kind' => 'request')) } if given['next'] && client
  begin
    client.close if client.respond_to?(:close)
  rescue StandardError => e
    warn e.message
  end
  puts JSON.generate(result)
end
