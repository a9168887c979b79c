package io.redelay.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Words that the search takes for each other.
 *
 * @param words words that mean the same: a text with one of them is found by each
 * @param also what is looked for as well when a query has one of the words; empty for
 * most
 * @param anchors of the sections that are about it
 */
record Synonyms(List<String> words, List<String> also, List<String> anchors) {

	/**
	 * Reads a file with a line for each meaning: {@code one, other} or
	 * {@code one, other => #anchor, third}. A line that begins with a {@code #} is a
	 * comment.
	 * @param file the file
	 * @return what each line says
	 * @throws IOException if the file cannot be read
	 * @throws GuideException if a line says nothing, or a word is in it twice
	 */
	static List<Synonyms> read(Path file) throws IOException {
		List<Synonyms> all = new ArrayList<>();
		if (!Files.exists(file)) {
			return all;
		}
		for (String line : Files.readAllLines(file)) {
			if (!line.isBlank() && !line.startsWith("#")) {
				all.add(parse(line));
			}
		}
		return all;
	}

	private static Synonyms parse(String line) {
		String[] sides = line.split("=>", -1);
		List<String> words = words(sides[0]);
		List<String> behind = (sides.length > 1) ? words(sides[1]) : List.of();
		Synonyms synonyms = new Synonyms(words, behind.stream().filter((word) -> !word.startsWith("#")).toList(),
				behind.stream().filter((word) -> word.startsWith("#")).map((word) -> word.substring(1)).toList());
		if (sides.length > 2 || words.contains("") || behind.contains("") || words.size() + behind.size() < 2) {
			throw new GuideException(
					"This line of the synonyms is neither 'one, other' nor 'one, other => #anchor, third': " + line);
		}
		if (synonyms.words.stream().distinct().count() < synonyms.words.size()) {
			throw new GuideException("This line of the synonyms has a word twice: " + line);
		}
		return synonyms;
	}

	private static List<String> words(String side) {
		return Arrays.stream(side.split(",", -1)).map(String::strip).toList();
	}

}
