package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the store is meant to keep of what the handlers of one message reported.
 */
final class WorkModel {

	private static final Map<Character, String> NAMES = Map.of('c', "checkpoint", 'p', "progress");

	private final Map<String, String> texts = new TreeMap<>();

	/**
	 * Who held the message when something was kept last, and its number.
	 */
	private String holder = "";

	private long number;

	/**
	 * The last entry that was kept, rather than passed over.
	 */
	private WorkRequest.Entry kept;

	WorkModel copy() {
		WorkModel copy = renewed();
		copy.holder = this.holder;
		copy.number = this.number;
		copy.kept = this.kept;
		return copy;
	}

	/**
	 * What a message has of it that dies, or lives on under another uid.
	 */
	WorkModel renewed() {
		WorkModel renewed = new WorkModel();
		renewed.texts.putAll(this.texts);
		return renewed;
	}

	void keep(String holder, WorkRequest.Entry entry) {
		if (this.holder.equals(holder) && entry.number() <= this.number) {
			return;
		}
		this.holder = holder;
		this.number = entry.number();
		this.kept = entry;
		String sections = new String(entry.sections(), StandardCharsets.UTF_8);
		// The texts are ASCII, so that they have as many characters as bytes.
		for (int at = 0; at < sections.length();) {
			int colon = sections.indexOf(':', at);
			int end = colon + 1 + Integer.parseInt(sections.substring(at + 1, colon));
			String name = NAMES.get(sections.charAt(at));
			if (name != null && end > colon + 1) {
				this.texts.put(name, sections.substring(colon + 1, end));
			}
			else if (name != null) {
				this.texts.remove(name);
			}
			at = end;
		}
	}

	/**
	 * Whether an entry was kept just now and has the attempts forgotten.
	 */
	boolean resetsAttempts(WorkRequest.Entry entry) {
		boolean resets = entry.equals(this.kept)
				&& new String(entry.sections(), StandardCharsets.UTF_8).endsWith("r0:");
		this.kept = null;
		return resets;
	}

	/**
	 * What is kept, by its name.
	 */
	Map<String, String> texts() {
		return this.texts;
	}

	/**
	 * How many bytes that is; the texts are ASCII.
	 */
	int length() {
		return this.texts.values().stream().mapToInt(String::length).sum();
	}

	/**
	 * What the store has of it while the message is not dead.
	 */
	Map<String, String> fields(String uid) {
		Map<String, String> fields = new HashMap<>();
		this.texts.forEach((name, text) -> fields.put(uid + "/" + name, text));
		if (!this.holder.isEmpty()) {
			fields.put(uid + "/written", this.holder + " " + this.number);
		}
		return fields;
	}

	/**
	 * Adds of how many messages there is something, as the store counts them where they
	 * are kept after their end.
	 */
	static void count(Stream<Map<String, String>> texts, Map<String, String> fields) {
		long count = texts.filter((each) -> !each.isEmpty()).count();
		if (count > 0) {
			fields.put("@work", Long.toString(count));
		}
	}

}
