package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Moves the bytes of chunks between Redis and a database, as far as Redis is concerned.
 *
 * @param runner runs the scripts
 * @since 0.1.0
 */
public record ColdScript(ScriptRunner runner) {

	/**
	 * How many chunks are named at once.
	 */
	public static final int MAX_NAMED = 500;

	/**
	 * How many chunks one step shows.
	 */
	private static final int MOST = 64;

	/**
	 * How many bytes one request reads, not counting its last chunk, or moves. Redis
	 * takes about a millisecond for their check sums.
	 */
	private static final int MAX_BYTES = 512 * 1024;

	/**
	 * Looks for chunks that may move, one step.
	 * @param queue the queue, as the store knows it
	 * @param direction where they move
	 * @param distance how far away their earliest due time is at least or at most
	 * @param place where to go on, or {@code null} to begin
	 * @return what was found
	 */
	public CompletableFuture<Look> look(String queue, Direction direction, Duration distance, @Nullable Place place) {
		return this.runner.run(Script.COLD_LOOK, queue, "Looking for chunks of packed messages in", (reply) -> {
			reply.timeAfterStatus();
			String due = reply.text();
			Place next = new Place(due, (int) reply.number());
			return new Look(due.isEmpty() ? null : next, reply.list((each) -> FarScript.Chunk.read(each)));
		}, direction.name(), ScriptTime.millis(distance), MOST, MAX_BYTES, (place != null) ? place.due() : "",
				(place != null) ? place.passed() : 0);
	}

	/**
	 * Asks which chunks have their bytes in the database.
	 * @param queue the queue, as the store knows it
	 * @param numbers the numbers of the chunks, at most {@value #MAX_NAMED}
	 * @return the SHA-1 of the bytes of each, {@code ""} if they are not there
	 */
	public CompletableFuture<List<String>> named(String queue, List<String> numbers) {
		List<Object> args = new ArrayList<>(List.of("NAMED"));
		args.addAll(numbers);
		return this.runner.run(Script.COLD_LOOK, queue, "Looking which packed messages are in the database of",
				(reply) -> {
					reply.timeAfterStatus();
					return reply.texts();
				}, args.toArray());
	}

	/**
	 * Removes the bytes of chunks from Redis that the database has.
	 * @param queue the queue, as the store knows it
	 * @param chunks the chunks, as they were written there
	 * @return how many were removed
	 */
	public CompletableFuture<Integer> chill(String queue, List<ColdChunks.Saved> chunks) {
		return move(Script.CHILL, queue, "Removing the bytes of packed messages of", chunks, true, 0);
	}

	/**
	 * Puts the bytes of chunks back into Redis.
	 * @param queue the queue, as the store knows it
	 * @param chunks the chunks, as they were read from the database
	 * @return how many are back
	 */
	public CompletableFuture<Integer> warm(String queue, List<ColdChunks.Saved> chunks) {
		return move(Script.WARM, queue, "Putting back the bytes of packed messages of", chunks, false, 0);
	}

	private CompletableFuture<Integer> move(Script script, String queue, String what, List<ColdChunks.Saved> chunks,
			boolean names, int from) {
		if (from >= chunks.size()) {
			return CompletableFuture.completedFuture(0);
		}
		List<Object> args = new ArrayList<>();
		int next = from;
		for (long bytes = 0; next < chunks.size() && bytes < MAX_BYTES; next++) {
			ColdChunks.Saved chunk = chunks.get(next);
			bytes += chunk.bytes().length;
			args.addAll(List.of(chunk.key().chunk(), names ? chunk.key().sha1() : chunk.bytes()));
		}
		int following = next;
		return this.runner.run(script, queue, what, (reply) -> {
			reply.text();
			return (int) reply.number();
		}, args.toArray())
			.thenCompose((moved) -> move(script, queue, what, chunks, names, following)
				.thenApply((others) -> moved + others));
	}

	/**
	 * Where chunks move.
	 */
	public enum Direction {

		/**
		 * Into the database.
		 */
		OUT,

		/**
		 * Back into Redis.
		 */
		IN

	}

	/**
	 * Where a step goes on.
	 *
	 * @param due the earliest due time of the last chunk
	 * @param passed how many with this time were looked at
	 */
	public record Place(String due, int passed) {

	}

	/**
	 * The chunks that a step has found.
	 *
	 * @param next where the next step goes on, if there is more to look at
	 * @param chunks the chunks; instead of the bytes of those that come back they have
	 * what stands in their place
	 */
	public record Look(@Nullable Place next, List<FarScript.Chunk> chunks) {

	}

}
