package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Removes notes from the outbox of a queue, and reads the next ones. Safe to repeat.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record OutboxScript(ScriptRunner runner) {

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param request the notes to remove and to read
	 * @return what is there
	 */
	public CompletableFuture<Reply> run(String queue, Request request) {
		return this.runner.run(Script.OUTBOX, queue, "Relaying the outbox of", OutboxScript::reply, args(request));
	}

	private static Object[] args(Request request) {
		List<Object> args = new ArrayList<>(
				List.of(request.instance(), request.number(), ScriptTime.millis(request.lease()),
						(request.after() != null) ? request.after() : ScriptWords.FIRST_NOTE,
						(request.until() != null) ? request.until() : ScriptWords.LAST_NOTE, request.maxBytes()));
		args.addAll(request.relayed());
		return args.toArray();
	}

	private static Reply reply(ReplyReader reply) {
		ReplyReader first = reply.words();
		boolean busy = first.text().equals(ScriptWords.BUSY);
		first.time();
		long number = first.number();
		if (busy) {
			return new Reply(Duration.ofMillis(number), 0, false, List.of());
		}
		boolean unbroken = first.text().equals(ScriptWords.YES);
		return new Reply(null, number, unbroken,
				reply.list((each) -> new OutboxNote(each.text(), each.text().charAt(0), each.bytes())));
	}

	/**
	 * A request to remove notes from an outbox and to read the next ones.
	 *
	 * @param instance the instance that relays
	 * @param number counts the requests of an instance for an outbox
	 * @param lease for how long no other instance relays notes of this outbox
	 * @param after the note behind which to read; {@code null} for the first one
	 * @param until the note up to which to read; {@code null} for the last one
	 * @param maxBytes how large the notes are together, which the last one may exceed
	 * @param relayed ids of notes that are removed, at most {@value #MAX_RELAYED}
	 */
	public record Request(String instance, long number, Duration lease, @Nullable String after, @Nullable String until,
			int maxBytes, List<String> relayed) {

		/**
		 * How many notes one request can remove.
		 */
		public static final int MAX_RELAYED = 1000;

		/**
		 * Checks the values.
		 */
		public Request {
			Assert.isTrue(relayed.size() <= MAX_RELAYED,
					() -> "'relayed' must be at most " + MAX_RELAYED + ": " + relayed.size());
		}

	}

	/**
	 * The content of an outbox.
	 *
	 * @param busy for how long another instance relays its notes, or {@code null} if none
	 * does
	 * @param count how many notes there are
	 * @param unbroken whether the store knows the instance's request before this one. If
	 * not, it may have gone back in time, and removed notes are there again
	 * @param notes the next ones
	 */
	public record Reply(@Nullable Duration busy, long count, boolean unbroken, List<OutboxNote> notes) {

	}

}
