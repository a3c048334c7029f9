import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parts of JSON that the adapters need. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> read(String text) {
        return (Map<String, Object>) new Json(text).value();
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (next()) {
            case '{': {
                Map<String, Object> members = new LinkedHashMap<>();
                at++;
                while (next() != '}') {
                    String name = string();
                    next();
                    at++;
                    members.put(name, value());
                    if (next() == ',') {
                        at++;
                    }
                }
                at++;
                return members;
            }
            case '[': {
                List<Object> elements = new ArrayList<>();
                at++;
                while (next() != ']') {
                    elements.add(value());
                    if (next() == ',') {
                        at++;
                    }
                }
                at++;
                return elements;
            }
            case '"':
                return string();
            default: {
                int begin = at;
                while (at < text.length() && ",]} ".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
                String word = text.substring(begin, at);
                if (word.equals("null")) {
                    return null;
                }
                return word.equals("true") || word.equals("false") ? (Object) Boolean.valueOf(word) : Double.valueOf(word);
            }
        }
    }

    private String string() {
        next();
        StringBuilder result = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                result.append(text.charAt(at));
                continue;
            }
            at++;
            switch (text.charAt(at)) {
                case 'n': result.append('\n'); break;
                case 't': result.append('\t'); break;
                case 'u':
                    result.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                    break;
                default: result.append(text.charAt(at));
            }
        }
        at++;
        return result.toString();
    }

    static String write(Object value) {
        if (value instanceof Map) {
            StringBuilder result = new StringBuilder("{");
            ((Map<?, ?>) value).forEach((name, member) -> {
                result.append(result.length() > 1 ? "," : "").append(write(name)).append(':').append(write(member));
            });
            return result.append('}').toString();
        }
        if (value instanceof Double && (Double) value == Math.rint((Double) value)) {
            return String.valueOf(((Double) value).longValue());
        }
        if (!(value instanceof String)) {
            return String.valueOf(value);
        }
        StringBuilder result = new StringBuilder("\"");
        for (char each : ((String) value).toCharArray()) {
            if (each < ' ' || each == '"' || each == '\\' || each > '~') {
                result.append(String.format("\\u%04x", (int) each));
            } else {
                result.append(each);
            }
        }
        return result.append('"').toString();
    }
}
