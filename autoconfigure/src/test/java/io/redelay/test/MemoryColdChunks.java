package io.redelay.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import io.redelay.queue.script.admin.ColdChunks;

/**
 * A database of cold messages in memory, with faults.
 */
public final class MemoryColdChunks implements ColdChunks {

	private final LongSupplier millis;

	private final Map<Long, Row> rows = new LinkedHashMap<>();

	private long last;

	private int loads;

	private boolean away;

	private boolean failsAfterSave;

	private int failEach;

	private int requests;

	/**
	 * Creates it.
	 * @param millis its clock
	 */
	public MemoryColdChunks(LongSupplier millis) {
		this.millis = millis;
	}

	@Override
	public synchronized CompletableFuture<Void> save(List<Saved> chunks) {
		boolean fails = fails();
		if (fails && this.rows.size() % 2 == 0) {
			return failed();
		}
		for (Saved chunk : chunks) {
			Long known = this.rows.entrySet()
				.stream()
				.filter((each) -> each.getValue().saved.owner().equals(chunk.owner())
						&& each.getValue().saved.key().equals(chunk.key()))
				.map(Map.Entry::getKey)
				.findAny()
				.orElse(null);
			this.rows.put((known != null) ? known : ++this.last, new Row(chunk, 0));
		}
		return (this.failsAfterSave || fails) ? failed() : CompletableFuture.completedFuture(null);
	}

	@Override
	public synchronized CompletableFuture<Map<Key, byte[]>> load(Collection<Key> keys) {
		if (fails()) {
			return failed();
		}
		this.loads++;
		Map<Key, byte[]> found = new HashMap<>();
		this.rows.values()
			.stream()
			.filter((each) -> keys.contains(each.saved.key()))
			.forEach((each) -> found.put(each.saved.key(), each.saved.bytes()));
		return CompletableFuture.completedFuture(found);
	}

	@Override
	public synchronized CompletableFuture<List<Kept>> list(Collection<String> owners, long after, int most) {
		if (fails()) {
			return failed();
		}
		return CompletableFuture.completedFuture(this.rows.entrySet()
			.stream()
			.filter((each) -> each.getKey() > after && owners.contains(each.getValue().saved.owner()))
			.limit(most)
			.map((each) -> new Kept(each.getKey(), each.getValue().saved.key(), each.getValue().leavingSince > 0))
			.toList());
	}

	@Override
	public synchronized CompletableFuture<Integer> note(Collection<Kept> needed, Collection<Kept> unneeded,
			Duration grace) {
		if (fails()) {
			return failed();
		}
		needed.forEach((each) -> this.rows.computeIfPresent(each.row(), (row, known) -> new Row(known.saved, 0)));
		int before = this.rows.size();
		long now = this.millis.getAsLong();
		unneeded.forEach((each) -> this.rows.computeIfPresent(each.row(), (row, known) -> {
			if (known.leavingSince == 0) {
				return new Row(known.saved, now);
			}
			return (known.leavingSince <= now - grace.toMillis()) ? null : known;
		}));
		return CompletableFuture.completedFuture(before - this.rows.size());
	}

	private boolean fails() {
		this.requests++;
		return this.away || (this.failEach > 0 && this.requests % this.failEach == 0);
	}

	private static <T> CompletableFuture<T> failed() {
		return CompletableFuture.failedFuture(new IllegalStateException("The database is away"));
	}

	/**
	 * Has it fail from now on, or no more.
	 */
	public synchronized void away(boolean away) {
		this.away = away;
	}

	/**
	 * Has it give no answer after it has written, or no more.
	 */
	public synchronized void failsAfterSave(boolean fails) {
		this.failsAfterSave = fails;
	}

	/**
	 * Has some requests fail: those to write before or after they have written.
	 * @param requests how many there are from one to the next
	 */
	public synchronized void failEach(int requests) {
		this.failEach = requests;
	}

	/**
	 * How often it was asked for bytes.
	 */
	public synchronized int loads() {
		return this.loads;
	}

	/**
	 * What it has of a queue.
	 */
	public synchronized List<Saved> saved(String queue) {
		return this.rows.values()
			.stream()
			.map((each) -> each.saved)
			.filter((each) -> each.key().queue().equals(queue))
			.toList();
	}

	/**
	 * Removes the rows of a queue.
	 * @return what was removed
	 */
	public synchronized List<Saved> lose(String queue) {
		List<Saved> lost = new ArrayList<>(saved(queue));
		this.rows.values().removeIf((each) -> each.saved.key().queue().equals(queue));
		return lost;
	}

	private record Row(Saved saved, long leavingSince) {

	}

}
