package io.redelay.guide.lookup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A line that the code may write to the log.
 *
 * @param level {@code INFO}, {@code WARN} or {@code ERROR}
 * @param text the text, with … for what varies
 * @param logger the logger
 */
record LogLine(String level, String text, String logger) {

	private static final Pattern CALL = Pattern
		.compile("\\blogger\\s*\\.(warn|error|info)\\(|FailureText\\.warn(?:InOneLine)?\\(logger,");

	private static final Pattern NAMED = Pattern.compile("PlainLog\\.of\\(\"([^\"]+)\"\\)");

	static List<LogLine> all(Path root) throws IOException {
		List<LogLine> lines = new ArrayList<>();
		for (String module : Sources.MODULES) {
			Path sources = root.resolve(module + "/src/main/java");
			try (Stream<Path> files = Files.walk(sources)) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).sorted().toList()) {
					String source = Files.readString(file);
					if (source.matches("(?s).*\\b(PlainLog\\.of|LogFactory\\.getLog)\\(.*")) {
						Matcher named = NAMED.matcher(source);
						lines.addAll(of(source, named.find() ? named.group(1)
								: sources.relativize(file).toString().replace(".java", "").replace('/', '.')));
					}
				}
			}
		}
		return lines;
	}

	private static List<LogLine> of(String source, String logger) {
		List<LogLine> lines = new ArrayList<>();
		Matcher call = CALL.matcher(source);
		while (call.find()) {
			String text = text(source, call.end());
			if (text.matches(".*\\p{L}{2}.*")) {
				String level = (call.group(1) != null) ? call.group(1) : "warn";
				lines.add(new LogLine(level.toUpperCase(Locale.ROOT), text, logger));
			}
		}
		return lines;
	}

	/**
	 * The literals of an argument, with … for each expression between them.
	 */
	private static String text(String source, int from) {
		StringBuilder text = new StringBuilder();
		int depth = 0;
		int i = from;
		while (depth >= 0 && !(depth == 0 && source.charAt(i) == ',')) {
			char c = source.charAt(i);
			if (c == '"') {
				int end = i + 1;
				while (source.charAt(end) != '"' || source.charAt(end - 1) == '\\') {
					end++;
				}
				if (depth == 0) {
					text.append(source, i + 1, end);
				}
				i = end;
			}
			else if (c == '(' || c == ')') {
				if (depth == 0 && c == '(' && !text.toString().endsWith("…")) {
					text.append('…');
				}
				depth += (c == '(') ? 1 : -1;
			}
			else if (depth == 0 && !Character.isWhitespace(c) && c != '+' && !text.toString().endsWith("…")) {
				text.append('…');
			}
			i++;
		}
		return text.toString()
			.replace("\\\"", "\"")
			.replace("%s", "…")
			.replace("%d", "…")
			.replaceAll("…(?:\\s*…)+", "…")
			.replaceAll("([a-z.])…$", "$1");
	}

}
