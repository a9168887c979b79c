package io.redelay.outbox.jdbc;

import java.time.Duration;
import java.util.List;

import io.redelay.outbox.OutboxAdmin;
import io.redelay.outbox.OutboxEntry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Looks at the table of the outbox and changes it.
 */
record OutboxAdminTemplate(OutboxTable table, Runnable wake) implements OutboxAdmin {

	private static final int MOST = 1000;

	@Override
	public long count() {
		return this.table.count(false);
	}

	@Override
	public long countFailed() {
		return this.table.count(true);
	}

	@Override
	public @Nullable Duration oldest() {
		return this.table.oldest();
	}

	@Override
	public List<OutboxEntry> list(long after, int limit) {
		return list(after, limit, false);
	}

	@Override
	public List<OutboxEntry> listFailed(long after, int limit) {
		return list(after, limit, true);
	}

	private List<OutboxEntry> list(long after, int limit, boolean failed) {
		Assert.isTrue(limit >= 1 && limit <= MOST, () -> "'limit' must be 1 to " + MOST + ": " + limit);
		return this.table.list(after, limit, failed);
	}

	@Override
	public boolean retry(long number) {
		boolean there = this.table.retry(number);
		this.wake.run();
		return there;
	}

	@Override
	public boolean delete(long number) {
		return this.table.delete(number);
	}

}
