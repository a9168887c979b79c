package io.redelay.queue.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockException;
import io.redelay.lock.LockInfo;
import io.redelay.queue.admin.QueueBackendException;
import org.jspecify.annotations.Nullable;

/**
 * The reads of the endpoint {@code locks}: the locks that threads of instances hold or
 * wait for, as the instances report them, and a single lock as it is in Redis.
 *
 * @since 0.1.0
 */
public final class LockReads {

	private static final int MAX_SIZE = 200;

	/**
	 * How many holders or waiters are shown of a lock.
	 */
	private static final int MAX_THREADS = 100;

	private final LockAdmin admin;

	/**
	 * Creates the reads.
	 * @param admin knows the locks
	 */
	public LockReads(LockAdmin admin) {
		this.admin = admin;
	}

	/**
	 * The locks that are held or waited for: the ones with most waiters first.
	 * @param name a part of their names
	 */
	Map<String, Object> locks(@Nullable String page, @Nullable String size, @Nullable String name) {
		Paging paging = Paging.of(page, size, MAX_SIZE);
		String part = Parameters.text("name", name);
		List<LockInfo> all = ask(this.admin::locks).stream()
			.filter((lock) -> part == null || lock.name().contains(part))
			.toList();
		return RecordView.page(this.admin.now(), paging, "locks", paging.of(all).stream().map(LockReads::view).toList(),
				all.size());
	}

	/**
	 * The locks of one name by their types, as they are in Redis now: none if none is
	 * held or waited for.
	 */
	Map<String, Object> lock(String name) {
		if (name.isBlank()) {
			throw RequestException.badParameter("lock", "must name a lock, without the prefix of its key");
		}
		List<LockInfo> locks = ask(() -> this.admin.lock(name));
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", this.admin.now());
		view.put("name", String.valueOf(BoundedText.brief(name)));
		view.put("locks", locks.stream().map(LockReads::view).toList());
		return view;
	}

	private static List<LockInfo> ask(Supplier<List<LockInfo>> request) {
		try {
			return request.get();
		}
		catch (LockException ex) {
			throw new QueueBackendException(String.valueOf(ex.getMessage()), ex);
		}
	}

	private static Map<String, Object> view(LockInfo lock) {
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("name", lock.name());
		view.put("type", lock.type());
		view.put("held", lock.holders().size());
		view.put("awaited", lock.waiters().size());
		view.put("holders", lock.holders().stream().limit(MAX_THREADS).map(RecordView::of).toList());
		view.put("waiters", lock.waiters().stream().limit(MAX_THREADS).map(RecordView::of).toList());
		return view;
	}

}
