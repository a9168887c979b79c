package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A database that keeps the bytes of chunks of packed messages that are due much later,
 * while Redis keeps the rest. The bytes of a chunk never change. Whatever goes back in
 * time, Redis or the database, its SHA-1 says which bytes are meant.
 * <p>
 * Safe for use by many threads. No method blocks; futures complete on threads that must
 * not be blocked either, and fail if the database cannot be asked. {@link ColdTier},
 * which asks it, fails with a {@link io.redelay.queue.request.StoreException} then.
 *
 * @since 0.1.0
 */
public interface ColdChunks {

	/**
	 * Writes chunks. One that is there already stays, and {@linkplain Kept#leaving()
	 * leaves} no more.
	 * @param chunks the chunks
	 * @return a future that completes when they are there to stay: committed
	 */
	CompletableFuture<Void> save(List<Saved> chunks);

	/**
	 * Reads the bytes of chunks, whoever wrote them.
	 * @param keys the chunks
	 * @return the bytes of those that are there
	 */
	CompletableFuture<Map<Key, byte[]>> load(Collection<Key> keys);

	/**
	 * Lists chunks in the order of their rows.
	 * @param owners the Redis servers that wrote them
	 * @param after the row behind which to go on, or 0 to begin
	 * @param most how many to list, at most {@value ColdScript#MAX_NAMED}
	 * @return the chunks, fewer than that at the end
	 */
	CompletableFuture<List<Kept>> list(Collection<String> owners, long after, int most);

	/**
	 * Notes which chunks Redis needs. What it does not need leaves, and is deleted when
	 * it has been leaving for some time and was not saved again meanwhile.
	 * @param needed chunks that were leaving and stay
	 * @param unneeded the chunks that leave, or have done so for some time
	 * @param grace how long that time is, by the clock of the database
	 * @return how many were deleted
	 */
	CompletableFuture<Integer> note(Collection<Kept> needed, Collection<Kept> unneeded, Duration grace);

	/**
	 * What names the bytes of a chunk.
	 *
	 * @param queue the queue, as the store knows it
	 * @param chunk the number of the chunk
	 * @param sha1 the SHA-1 of its bytes
	 */
	record Key(String queue, String chunk, String sha1) {

	}

	/**
	 * A chunk to write.
	 *
	 * @param owner the Redis server whose chunk it is
	 * @param key its name
	 * @param dueMillis when its first message is due
	 * @param latestMillis when its last message is due
	 * @param messages how many messages it has
	 * @param bytes its bytes
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	record Saved(String owner, Key key, long dueMillis, long latestMillis, int messages, byte[] bytes) {

	}

	/**
	 * A chunk that is there.
	 *
	 * @param row the number of its row, from 1
	 * @param key its name
	 * @param leaving whether it was not needed when that was looked at last
	 */
	record Kept(long row, Key key, boolean leaving) {

	}

}
