package io.redelay.queue.admin.engine.deadletter;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeathsScript;
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
	static final Comparator<DeathsScript.Death> LAST_FIRST = Comparator.comparing(DeathsScript.Death::at)
		.thenComparing(DeathsScript.Death::uid)
		.reversed();

	private final DeathsScript deaths;

	private final String partition;

	private Iterator<DeathsScript.Death> page = List.<DeathsScript.Death>of().iterator();

	private long offset;

	private boolean hasNextPage = true;

	private DeathsScript.@Nullable Death current;

	DeathCursor(AdminScripts scripts, String partition) {
		this.deaths = new DeathsScript(scripts);
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
	DeathsScript.@Nullable Death current() {
		return this.current;
	}

	/**
	 * Moves to the death after the current one.
	 */
	void advance() {
		DeathsScript.Death last = this.current;
		DeathsScript.Death next = next();
		while (next != null && last != null && LAST_FIRST.compare(last, next) >= 0) {
			next = next();
		}
		this.current = next;
	}

	private DeathsScript.@Nullable Death next() {
		while (!this.page.hasNext() && this.hasNextPage) {
			DeathsScript.Page read = StoreCalls
				.await(this.deaths.run(this.partition, this.offset, AdminScripts.MAX_PAGE));
			this.offset += read.deaths().size();
			this.hasNextPage = read.hasNext();
			this.page = read.deaths().iterator();
		}
		return this.page.hasNext() ? this.page.next() : null;
	}

}
