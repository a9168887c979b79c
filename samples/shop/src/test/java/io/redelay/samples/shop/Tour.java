package io.redelay.samples.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The commands of a README, and the answers that stand there: a comment right behind a
 * command is what it prints, one behind an empty line is for the reader.
 */
final class Tour {

	private Tour() {
	}

	/**
	 * Reads the sections that have commands.
	 */
	static List<Section> read(Path readme) throws IOException {
		List<Section> sections = new ArrayList<>();
		String title = "";
		List<String> block = null;
		for (String line : Files.readAllLines(readme)) {
			if (block != null && line.equals("```")) {
				sections.add(new Section(title, steps(block)));
				block = null;
			}
			else if (block != null) {
				block.add(line);
			}
			else if (line.equals("```shell")) {
				block = new ArrayList<>();
			}
			else if (line.startsWith("## ")) {
				title = line.substring("## ".length());
			}
		}
		return sections;
	}

	private static List<Step> steps(List<String> lines) {
		List<Step> steps = new ArrayList<>();
		List<String> command = new ArrayList<>();
		boolean answering = false;
		for (String line : lines) {
			if (!command.isEmpty() || !line.isEmpty() && !line.startsWith("#")) {
				command.add(line);
				answering = !line.endsWith("\\");
				if (answering) {
					steps.add(new Step(steps.size(), String.join("\n", command), new ArrayList<>()));
					command.clear();
				}
			}
			else if (answering && line.startsWith("# ")) {
				steps.get(steps.size() - 1).answer().add(line.substring("# ".length()));
			}
			else {
				answering = false;
			}
		}
		return steps;
	}

	/**
	 * The commands below a heading, which share variables.
	 */
	record Section(String title, List<Step> steps) {

		/**
		 * A script that puts what each command prints into a file of its own.
		 */
		String script(Path folder) {
			return this.steps.stream()
				.map((step) -> "{\n%s\n} > '%s'\n".formatted(step.command(), step.output(folder)))
				.collect(Collectors.joining());
		}

		String printed(Path folder) {
			return this.steps.stream()
				.map((step) -> step.command() + "\n" + step.printed(folder))
				.collect(Collectors.joining("\n"));
		}

		@Override
		public String toString() {
			return this.title;
		}

	}

	/**
	 * A command, and the lines that it prints.
	 */
	record Step(int number, String command, List<String> answer) {

		Path output(Path folder) {
			return folder.resolve(this.number + ".out");
		}

		String printed(Path folder) {
			Path output = output(folder);
			try {
				return Files.exists(output) ? normalized(Files.readString(output)) : "";
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/**
		 * In the answers, an ellipsis stands for a text without quotes where it is in
		 * quotes, for a single value where it follows a colon, and else for anything.
		 */
		Pattern pattern() {
			String quoted = Pattern.quote(normalized(String.join("\n", this.answer)));
			return Pattern.compile(quoted.replace("\"…\"", "\\E\"[^\"]*\"\\Q")
				.replace("\":…", "\\E\":[^\",\\[\\]{}]*\\Q")
				.replace("…", "\\E.*\\Q"));
		}

		private static String normalized(String text) {
			return text.lines().map((line) -> line.strip().replaceAll("\\s+", " ")).collect(Collectors.joining("\n"));
		}

	}

}
