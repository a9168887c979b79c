package io.redelay.queue.script.admin;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.message.Sha1;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.AsyncCall;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * The database of cold messages: the bytes of chunks that are due much later. All that
 * reads chunks asks it, so that nothing else knows where the bytes are.
 * <p>
 * While the database cannot be asked nothing waits for it: it is tried again after a
 * second, then at growing intervals of up to a minute. The log says so once.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ColdTier {

	/**
	 * What stands in the place of bytes that are in the database, before their SHA-1.
	 */
	private static final byte MARK = '*';

	private static final int SHA1_LENGTH = 40;

	/**
	 * What stands in the place of bytes if the database does not answer, or there is
	 * none.
	 */
	private static final byte[] AWAY = { MARK };

	private static final byte[] NONE = { MARK, '0' };

	private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

	private static final int MAX_NOTED = 1000;

	private static final Log logger = PlainLog.of(ColdTier.class);

	private final Scheduler clock;

	/**
	 * When it was logged for a queue that bytes are missing, or for a chunk that it
	 * cannot be read.
	 */
	private final Map<String, Long> noted = new ConcurrentHashMap<>();

	private volatile @Nullable ColdChunks database;

	private volatile @Nullable Absence absence;

	ColdTier(Scheduler clock) {
		this.clock = clock;
	}

	/**
	 * Sets the database.
	 * @param database the database
	 */
	public void use(ColdChunks database) {
		this.database = database;
		this.absence = null;
	}

	/**
	 * Returns whether there is a database.
	 * @return whether one was set
	 */
	public boolean isUsed() {
		return this.database != null;
	}

	/**
	 * Asks the database, unless it could not be asked a moment ago.
	 * @param what the action, for the messages of exceptions
	 * @param request asks it
	 * @param <T> the type of the answer
	 * @return its answer; fails with a {@link StoreException} if it gives none
	 */
	public <T> CompletableFuture<T> ask(String what, Function<ColdChunks, CompletableFuture<T>> request) {
		ColdChunks present = this.database;
		if (present == null) {
			return CompletableFuture.failedFuture(
					new StoreException(what + ": this application has no database of cold messages", null, false));
		}
		Absence before = this.absence;
		if (before != null && this.clock.nanoTime() - before.sinceNanos() < before.pause().toNanos()) {
			return CompletableFuture.failedFuture(away(what, before.cause()));
		}
		return AsyncCall.of(() -> request.apply(present)).handle((answer, failure) -> {
			if (failure == null) {
				isBack();
				return answer;
			}
			Throwable cause = StoreException.cause(failure);
			isAway(cause);
			throw new CompletionException(away(what, cause));
		});
	}

	private static StoreException away(String what, Throwable cause) {
		return new StoreException(what + ": the database of cold messages cannot be asked: " + cause.getMessage(),
				cause, true);
	}

	private synchronized void isBack() {
		if (this.absence != null) {
			this.absence = null;
			logger.info("The database of cold messages can be asked again");
		}
	}

	/**
	 * Several requests that were under way count as one.
	 */
	private synchronized void isAway(Throwable cause) {
		Absence before = this.absence;
		long now = this.clock.nanoTime();
		if (before == null) {
			logger
				.warn("The database of cold messages cannot be asked, which is tried again. Messages whose content is "
						+ "there are late if they are due before it can: " + cause);
		}
		else if (now - before.sinceNanos() < before.pause().toNanos()) {
			return;
		}
		Duration pause = (before != null) ? before.pause().multipliedBy(2) : FIRST_PAUSE;
		this.absence = new Absence(now, (pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE, cause);
	}

	/**
	 * Gives the chunks of a queue the bytes that are in the database. What is not found
	 * keeps what stands in the place of its bytes; {@link #problem} says why.
	 * @param queue the queue
	 * @param chunks the chunks, as Redis shows them
	 * @return all the chunks
	 */
	CompletableFuture<List<FarScript.Chunk>> fill(String queue, List<FarScript.Chunk> chunks) {
		List<ColdChunks.Key> keys = chunks.stream().filter(ColdTier::isCold).map((each) -> key(queue, each)).toList();
		if (keys.isEmpty()) {
			return CompletableFuture.completedFuture(chunks);
		}
		if (!isUsed()) {
			noteMissing(queue, chunks.stream().filter(ColdTier::isCold).toList());
			return CompletableFuture.completedFuture(unasked(chunks, NONE));
		}
		return ask("Reading cold messages of the queue '" + queue + "'", (present) -> present.load(keys))
			.thenApply((found) -> filled(queue, chunks, found))
			.exceptionally((failure) -> unasked(chunks, AWAY));
	}

	private static List<FarScript.Chunk> unasked(List<FarScript.Chunk> chunks, byte[] why) {
		return chunks.stream().map((each) -> isCold(each) ? each.with(why) : each).toList();
	}

	/**
	 * Reads the bytes of chunks that are in the database.
	 * @param queue the queue
	 * @param chunks the chunks, with what stands in the place of their bytes
	 * @return those that were found
	 */
	public CompletableFuture<List<ColdChunks.Saved>> load(String queue, List<FarScript.Chunk> chunks) {
		return ask("Loading cold messages of the queue '" + queue + "'",
				(present) -> present.load(chunks.stream().map((each) -> key(queue, each)).toList()))
			.thenApply((found) -> filled(queue, chunks, found).stream()
				.filter((each) -> !isCold(each))
				.map((each) -> new ColdChunks.Saved("", key(queue, each), each.dueMillis(), each.latestMillis(),
						each.left(), each.packed()))
				.toList());
	}

	private List<FarScript.Chunk> filled(String queue, List<FarScript.Chunk> chunks,
			Map<ColdChunks.Key, byte[]> found) {
		List<FarScript.Chunk> filled = new ArrayList<>();
		List<FarScript.Chunk> without = new ArrayList<>();
		for (FarScript.Chunk chunk : chunks) {
			byte[] bytes = isCold(chunk) ? bytes(key(queue, chunk), found) : chunk.packed();
			filled.add((bytes != null) ? chunk.with(bytes) : chunk);
			if (bytes == null) {
				without.add(chunk);
			}
		}
		if (!without.isEmpty()) {
			noteMissing(queue, without);
		}
		return filled;
	}

	/**
	 * The bytes that a name means; a row that has others is as good as none.
	 */
	private static byte @Nullable [] bytes(ColdChunks.Key key, Map<ColdChunks.Key, byte[]> found) {
		byte[] bytes = found.get(key);
		return (bytes != null && Sha1.of(bytes).equals(key.sha1())) ? bytes : null;
	}

	private void noteMissing(String queue, List<FarScript.Chunk> chunks) {
		if (!isToNote(queue)) {
			return;
		}
		logger.error("The content of " + chunks.stream().mapToInt(FarScript.Chunk::left).sum()
				+ " messages of the queue '" + queue + "' in the chunks "
				+ chunks.stream().map(FarScript.Chunk::number).collect(Collectors.joining(", ")) + " " + why()
				+ ". They are kept, and cannot be delivered or read until then. Cancelling them needs no content");
	}

	/**
	 * Returns whether the log is to say now that something cannot be read: once in some
	 * minutes.
	 * @param what a queue, or a chunk of one
	 * @return whether it has not said so lately
	 */
	boolean isToNote(String what) {
		long now = this.clock.nanoTime();
		Long before = this.noted.get(what);
		if (before != null && now - before < QueueRound.LOG_PAUSE.toNanos()) {
			return false;
		}
		if (this.noted.size() >= MAX_NOTED) {
			this.noted.clear();
		}
		this.noted.put(what, now);
		return true;
	}

	private String why() {
		return isUsed() ? "is not in the table redelay_cold_chunk of the outbox's database: restore the rows"
				: "is in a database, and this application has none: add redelay-outbox, with the DataSource that the other"
						+ " applications of this queue have";
	}

	/**
	 * Returns what stands in the place of the bytes of a chunk, or why they cannot be
	 * read.
	 * @return the words, or {@code null} if the bytes are there
	 */
	static @Nullable String problem(FarScript.Chunk chunk) {
		if (isUnasked(chunk)) {
			return Arrays.equals(chunk.packed(), NONE)
					? "their content is in the table redelay_cold_chunk of the outbox's database, and this application"
							+ " has no such database"
					: "the database that has their content cannot be asked";
		}
		return isCold(chunk) ? "their content is missing in the table redelay_cold_chunk of the outbox's database"
				: null;
	}

	/**
	 * Whether its bytes are in a database that did not answer, or that this application
	 * does not have.
	 */
	static boolean isUnasked(FarScript.Chunk chunk) {
		return Arrays.equals(chunk.packed(), AWAY) || Arrays.equals(chunk.packed(), NONE);
	}

	private static boolean isCold(FarScript.Chunk chunk) {
		return chunk.packed().length == SHA1_LENGTH + 1 && chunk.packed()[0] == MARK;
	}

	/**
	 * Returns the name of the bytes of a chunk.
	 * @param queue the queue
	 * @param chunk the chunk, with its bytes or what stands in their place
	 * @return its name in the database
	 */
	public static ColdChunks.Key key(String queue, FarScript.Chunk chunk) {
		return new ColdChunks.Key(queue, chunk.number(), isCold(chunk)
				? new String(chunk.packed(), 1, SHA1_LENGTH, StandardCharsets.US_ASCII) : Sha1.of(chunk.packed()));
	}

	private record Absence(long sinceNanos, Duration pause, Throwable cause) {

	}

}
