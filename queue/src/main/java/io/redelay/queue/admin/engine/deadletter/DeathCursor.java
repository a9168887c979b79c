package io.redelay.queue.admin.engine.deadletter;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.store.DeathPage;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.StoredDeath;
import org.jspecify.annotations.Nullable;

/**
 * Goes through the deaths of a partition, the last one first. A message that dies
 * meanwhile shifts others to the next page, where they would be seen twice. So those that
 * do not come after the last one seen are skipped.
 */
final class DeathCursor {

	/**
	 * The order in which the store lists deaths.
	 */
	static final Comparator<StoredDeath> LAST_FIRST = Comparator.comparing(StoredDeath::at)
		.thenComparing(StoredDeath::uid)
		.reversed();

	private final QueueAdminStore store;

	private final String partition;

	private Iterator<StoredDeath> page = List.<StoredDeath>of().iterator();

	private long offset;

	private boolean hasNextPage = true;

	private @Nullable StoredDeath current;

	DeathCursor(QueueAdminStore store, String partition) {
		this.store = store;
		this.partition = partition;
		advance();
	}

	/**
	 * The name that the store has for the partition.
	 */
	String partition() {
		return this.partition;
	}

	/**
	 * The next death, or {@code null} if there is none.
	 */
	@Nullable StoredDeath current() {
		return this.current;
	}

	/**
	 * Moves to the death after the current one.
	 */
	void advance() {
		StoredDeath last = this.current;
		StoredDeath next = next();
		while (next != null && last != null && LAST_FIRST.compare(last, next) >= 0) {
			next = next();
		}
		this.current = next;
	}

	private @Nullable StoredDeath next() {
		while (!this.page.hasNext() && this.hasNextPage) {
			DeathPage read = StoreCalls.await(this.store.deaths(this.partition, this.offset, QueueAdminStore.MAX_PAGE));
			this.offset += read.deaths().size();
			this.hasNextPage = read.hasNext();
			this.page = read.deaths().iterator();
		}
		return this.page.hasNext() ? this.page.next() : null;
	}

}
