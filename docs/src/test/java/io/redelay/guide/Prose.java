package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Takes the sentences out of a text in AsciiDoc or Markdown. Code, addresses and markup
 * are no prose; a cell of a table and an item of a list end a sentence.
 */
final class Prose {

	private static final Pattern FENCE = Pattern.compile("-{4,}|\\.{4,}|\\+{4,}|/{4,}");

	private static final Pattern MARKUP = Pattern
		.compile("|={4,}|\\*{4,}|--|\\+|\\[.*]|//.*|:[\\w-]+:.*|(include|image|ifdef|ifndef|endif|toc)::.*");

	private static final Pattern HEADING = Pattern.compile("(=+|#+|\\.(?=\\w)) *");

	private static final Pattern ITEM = Pattern.compile("(\\*+|\\.+|-|\\d+\\.|<\\d+>) +");

	private static final Pattern TERM = Pattern.compile("^([^:`<]{1,80}|`[^`]*`)::(?: |$)");

	private static final Pattern CELL = Pattern.compile("(?<!\\\\)(?:^|(?<=\\s)|(?<=\\sa))\\|");

	private static final Pattern END = Pattern.compile("(?<=[.!?])[*_)\"”]*\\s+(?=[A-Z\"(*_“])");

	private final List<Sentence> sentences = new ArrayList<>();

	private final StringBuilder paragraph = new StringBuilder();

	private int line;

	private Prose() {
	}

	/**
	 * Reads a text.
	 * @param file the text
	 * @return its sentences
	 * @throws IOException if the file cannot be read
	 */
	static List<Sentence> of(Path file) throws IOException {
		return of(Files.readAllLines(file));
	}

	static List<Sentence> of(List<String> lines) {
		Prose prose = new Prose();
		String fence = null;
		boolean table = false;
		for (int i = 0; i < lines.size(); i++) {
			String text = lines.get(i).strip();
			if (fence != null) {
				fence = text.equals(fence) ? null : fence;
			}
			else if (FENCE.matcher(text).matches() || text.startsWith("```")) {
				prose.end();
				fence = text.startsWith("```") ? "```" : text;
			}
			else if (text.startsWith("|===")) {
				prose.end();
				table = !table;
			}
			else if (table || text.startsWith("|")) {
				prose.row(i + 1, text);
			}
			else {
				prose.text(i + 1, text);
			}
		}
		prose.end();
		return prose.sentences;
	}

	private void row(int number, String text) {
		String[] cells = CELL.split(text, -1);
		add(number, cells[0]);
		for (int i = 1; i < cells.length; i++) {
			end();
			add(number, cells[i].strip());
		}
	}

	private void text(int number, String text) {
		if (MARKUP.matcher(text).matches()) {
			end();
		}
		else if (HEADING.matcher(text).lookingAt()) {
			end();
			add(number, HEADING.matcher(text).replaceFirst(""));
			end();
		}
		else if (ITEM.matcher(text).lookingAt()) {
			end();
			add(number, ITEM.matcher(text).replaceFirst(""));
		}
		else if (TERM.matcher(text).find()) {
			end();
			String[] parts = text.split("::", 2);
			add(number, parts[0]);
			end();
			add(number, parts[1].strip());
		}
		else {
			add(number, text);
		}
	}

	private void add(int number, String text) {
		if (this.paragraph.isEmpty()) {
			this.line = number;
		}
		if (!text.isEmpty()) {
			this.paragraph.append(text).append(' ');
		}
	}

	private void end() {
		String text = this.paragraph.toString()
			.replaceAll("`[^`]*`", "Code")
			.replaceAll("<<[^,>]*,([^>]*)>>", "$1")
			.replaceAll("<<[^>]*>>", "Link")
			.replaceAll("(?:link:|https?:)[^\\s\\[]*\\[([^]]*)]", "$1")
			.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
			.replaceAll("<?https?:\\S*", "Link");
		this.paragraph.setLength(0);
		END.splitAsStream(text.strip())
			.filter((sentence) -> !sentence.isEmpty())
			.forEach((sentence) -> this.sentences.add(new Sentence(this.line, sentence)));
	}

	/**
	 * A sentence.
	 *
	 * @param line the line in which its paragraph begins
	 * @param text its words, with {@code Code} in place of code
	 */
	record Sentence(int line, String text) {

		long words() {
			return Stream.of(this.text.split("\\s+")).filter((word) -> word.matches(".*[\\p{L}\\p{N}].*")).count();
		}

	}

}
