package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The marks in the history of a queue, and those of the instances of a server: each is
 * one key with a bounded number of marks, which expires.
 * <p>
 * Safe for use by many threads.
 *
 * @param runner runs the scripts
 * @since 0.1.0
 */
public record MarksKey(ScriptRunner runner) {

	/**
	 * The name of the key of instances, in the slot of their announcements. No instance
	 * has such a short name.
	 */
	public static final String INSTANCES = "{:instances}:marks";

	private static final String WHAT = "Noting for its history what happened to";

	/**
	 * Notes what happened to a queue, unless the queue was deleted.
	 * @param queue the queue
	 * @param id the id of the mark: another one of the same id is not noted
	 * @param kind what happened
	 * @param instance the display name of the instance that did it
	 * @param detail what else there is to know, or empty
	 * @return a future that completes when it is noted
	 */
	public CompletableFuture<Void> note(String queue, String id, String kind, String instance, String detail) {
		return this.runner.run(Script.MARK, queue, WHAT, (reply) -> null, id, kind, instance, detail);
	}

	/**
	 * Reads the marks of a queue.
	 * @param queue the queue
	 * @return the marks, the oldest first
	 */
	public CompletableFuture<Marks> read(String queue) {
		return this.runner.run(Script.READ_MARKS, queue, "Reading the marks of", MarksKey::marks);
	}

	/**
	 * Reads the marks of the instances.
	 * @return the marks, the oldest first
	 */
	public CompletableFuture<Marks> readInstances() {
		return this.runner.runOnKey(Script.READ_MARKS, INSTANCES, "Reading the marks of the instances",
				MarksKey::marks);
	}

	private static Marks marks(ReplyReader reply) {
		Instant time = reply.timeAfterStatus();
		List<Mark> marks = new ArrayList<>();
		for (String text : reply.texts()) {
			String[] words = text.split("\0", -1);
			if (words.length >= 7 && words[0].matches("[0-9]{1,15}")) {
				marks.add(0, new Mark(Instant.ofEpochMilli(Long.parseLong(words[0])), words[1], words[2], words[3],
						words[4], words[5], words[6]));
			}
		}
		return new Marks(time, marks);
	}

	/**
	 * Marks, and when they were read.
	 *
	 * @param time the store's clock
	 * @param marks the marks, the oldest first
	 */
	public record Marks(Instant time, List<Mark> marks) {

	}

	/**
	 * A mark. What is not known is empty.
	 *
	 * @param time when it happened
	 * @param kind what happened; another version may know more kinds
	 * @param id its id, of an instance the name in the store
	 * @param instance the display name of an instance
	 * @param application the application of the instance
	 * @param version the version of that application
	 * @param detail what else there is to know
	 */
	public record Mark(Instant time, String kind, String id, String instance, String application, String version,
			String detail) {

	}

}
