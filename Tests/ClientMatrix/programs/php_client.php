<?php
// PHP's cURL functions or its HTTP streams. adapter.py documents the input and the output.

$library = $argv[1];
$version = 'PHP ' . PHP_VERSION . ($library === 'curl' ? ', libcurl ' . curl_version()['version'] : '');
echo json_encode(['version' => $version]), "\n";

function content(array $upload): string
{
    return substr(str_repeat('0123456789abcdef', intdiv($upload['bytes'], 16) + 1), 0, $upload['bytes']);
}

function first_event(string $text): ?string
{
    return preg_match('/^data:.*$/m', $text, $found) && str_ends_with($text, "\n") ? $found[0] : null;
}

function answer(int $status, array $lines, string $body, array $more = []): array
{
    $fields = [];
    foreach ($lines as $line) {
        if (preg_match('/^([^:\s]+):\s*(.*?)\s*$/', $line, $found)) {
            $fields[strtolower($found[1])] = $found[2];
        }
    }
    return ['status' => $status, 'fields' => (object) $fields, 'body' => substr($body, 0, 8192), 'length' => strlen($body)] + $more;
}

function by_curl($handle, array $case): array
{
    $upload = $case['upload'] ?? null;
    $lines = [];
    $body = '';
    $events = ($case['kind'] ?? '') === 'events';
    $names = [];
    foreach ($case['fields'] as $name => $value) {
        $names[] = "$name: $value";
    }
    curl_reset($handle);
    $options = [
        CURLOPT_URL => $case['url'],
        CURLOPT_CAINFO => getenv('MATRIX_CA'),
        CURLOPT_TIMEOUT => $case['timeout'],
        CURLOPT_HTTP_VERSION => str_starts_with($case['url'], 'https') ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1,
        CURLOPT_HEADERFUNCTION => function ($handle, $line) use (&$lines) {
            $lines[] = $line;
            return strlen($line);
        },
        CURLOPT_WRITEFUNCTION => function ($handle, $piece) use (&$body, $events) {
            $body .= $piece;
            return $events && first_event($body) ? 0 : strlen($piece);
        },
    ];
    if ($case['method'] === 'HEAD') {
        $options[CURLOPT_NOBODY] = true;
    }
    if ($upload) {
        $names[] = $upload['expect'] ? 'Expect: 100-continue' : 'Expect:';
        $options[CURLOPT_POST] = true;
        if ($upload['chunked']) {
            $names[] = 'Transfer-Encoding: chunked';
            $source = fopen('php://temp', 'r+');
            fwrite($source, content($upload));
            rewind($source);
            $options[CURLOPT_READFUNCTION] = fn ($handle, $file, $length) => fread($source, $length);
        } else {
            $options[CURLOPT_POSTFIELDS] = content($upload);
        }
    }
    curl_setopt_array($handle, $options + [CURLOPT_HTTPHEADER => $names]);
    $done = curl_exec($handle);
    $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
    $event = $events ? first_event($body) : null;
    $more = $done || $event ? [] : ['error' => 'curl_errno ' . curl_errno($handle), 'message' => curl_error($handle)];
    return $more && !$status ? $more : answer($status, $lines, $event ?? $body, $more);
}

function by_streams(array $case): array
{
    $upload = $case['upload'] ?? null;
    $names = [];
    foreach ($case['fields'] as $name => $value) {
        $names[] = "$name: $value";
    }
    $http = ['method' => $case['method'], 'header' => $names, 'timeout' => $case['timeout'], 'ignore_errors' => true, 'protocol_version' => 1.1];
    if ($upload) {
        $names[] = 'Content-Type: application/octet-stream';
        $http = ['header' => $names, 'content' => content($upload)] + $http;
    }
    $context = stream_context_create(['http' => $http, 'ssl' => ['cafile' => getenv('MATRIX_CA')]]);
    $stream = @fopen($case['url'], 'r', false, $context);
    if (!$stream) {
        return ['error' => 'false', 'message' => error_get_last()['message'] ?? ''];
    }
    $lines = stream_get_meta_data($stream)['wrapper_data'];
    preg_match('/^HTTP\S+ (\d+)/', $lines[0], $found);
    if (($case['kind'] ?? '') === 'events') {
        $text = '';
        while (!first_event($text) && ($line = fgets($stream)) !== false) {
            $text .= $line;
        }
        return answer((int) $found[1], $lines, first_event($text) ?? '');
    }
    return answer((int) $found[1], $lines, stream_get_contents($stream));
}

function unsupported(array $case, string $library): ?string
{
    if ($case['kind'] === 'websocket') {
        return 'no WebSocket';
    }
    if ($library === 'streams') {
        if ($case['http'] === '2') {
            return 'HTTP/1.1 only';
        }
        if ($case['upload'] && $case['upload']['chunked']) {
            return 'no body without a length';
        }
        if ($case['upload'] && $case['upload']['expect']) {
            return 'does not wait for 100';
        }
    }
    return null;
}

function timed(callable $action): array
{
    $began = microtime(true);
    try {
        $result = $action();
    } catch (Throwable $error) {
        $result = ['error' => get_class($error), 'message' => $error->getMessage()];
    }
    return $result + ['seconds' => round(microtime(true) - $began, 3)];
}

ini_set('memory_limit', '512M');
while (($line = fgets(STDIN)) !== false) {
    $case = json_decode($line, true);
    if ($reason = unsupported($case, $library)) {
        echo json_encode(['unsupported' => $reason]), "\n";
        continue;
    }
    $handle = $library === 'curl' ? curl_init() : null;
    $ask = fn (array $case) => timed(fn () => $handle ? by_curl($handle, $case) : by_streams($case));
    $result = $ask($case);
    if ($case['next']) {
        $result['next'] = $ask($case['next'] + ['timeout' => $case['timeout'], 'upload' => null]);
    }
    echo json_encode($result, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
