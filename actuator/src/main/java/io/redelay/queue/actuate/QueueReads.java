package io.redelay.queue.actuate;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import io.redelay.guard.RedisFitness;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.limits.GroupName;
import io.redelay.scheduling.AnswerLimit;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The reads of queues for the endpoint {@code queues}. Each method checks its parameters,
 * and throws a {@link RequestException} if one is invalid.
 *
 * @since 0.1.0
 */
public final class QueueReads {

	private static final int MAX_QUEUES = 200;

	private static final int MAX_BUNDLES = 100;

	/**
	 * How many queues are named that could not be looked at.
	 */
	private static final int MAX_FAILED = 10;

	/**
	 * How long the last look at the queues is waited for while Redis gives no answer.
	 */
	private static final Duration WHILE_SILENT = Duration.ofMillis(500);

	/**
	 * How many dead messages are counted by their causes.
	 */
	private static final int MAX_DEAD = 10_000;

	private final QueueAdmin admin;

	private final SharedCauses causes;

	private final QueueSnapshots snapshots;

	private final EndpointRights rights;

	private final RedisWatch redis;

	private volatile @Nullable Counted instances;

	/**
	 * Creates the reads.
	 * @param admin looks at queues
	 * @param snapshots looks at all queues at once
	 * @param rights the rights of users
	 * @param redis examines Redis
	 */
	public QueueReads(QueueAdmin admin, QueueSnapshots snapshots, EndpointRights rights, RedisWatch redis) {
		this.redis = redis;
		this.admin = admin;
		this.causes = new SharedCauses((queue) -> admin.queues().info(queue).dead(),
				(queue) -> admin.deadLetters().causes(queue, MAX_DEAD), () -> admin.queues().now(), System::nanoTime);
		this.snapshots = snapshots;
		this.rights = rights;
	}

	QueueList queues(SecurityContext user, @Nullable String page, @Nullable String size, @Nullable String name,
			@Nullable String sort, @Nullable String show) {
		Paging paging = Paging.of(page, size, MAX_QUEUES);
		String part = Parameters.text("name", name);
		QueueOrder order = Parameters.word("sort", sort, EnumSet.allOf(QueueOrder.class));
		QueueChoice choice = Parameters.word("show", show, EnumSet.allOf(QueueChoice.class));
		QueueSnapshots.Look look = this.snapshots.latest();
		List<QueueSnapshot> all = look.queues()
			.values()
			.stream()
			.filter((queue) -> part == null || queue.queue().contains(part))
			.filter((queue) -> choice == null || choice.chooses(queue))
			.sorted(((order != null) ? order : QueueOrder.TROUBLE).comparator())
			.toList();
		List<String> failed = look.failed().stream().filter((queue) -> part == null || queue.contains(part)).toList();
		return new QueueList(lookedAt(look, this.admin.queues().now()), all.size(), paging.page(), paging.size(),
				paging.hasNext(all.size()), this.rights.mayWrite(user), this.rights.seesPayloads(user),
				QueueList.states(all), QueueList.warnings(all), failed.subList(0, Math.min(MAX_FAILED, failed.size())),
				rows(paging.of(all)));
	}

	private List<QueueList.Row> rows(List<QueueSnapshot> page) {
		Map<String, QueueHistory> histories = this.admin.queues()
			.histories(page.stream().map(QueueSnapshot::queue).toList());
		return page.stream()
			.map((queue) -> QueueList.Row.of(queue, Objects.requireNonNull(histories.get(queue.queue()))))
			.toList();
	}

	/**
	 * When queues were looked at, by the clock of Redis.
	 * @param now what time it is by that clock
	 */
	static Instant lookedAt(QueueSnapshots.Look look, Instant now) {
		return now.minus(Duration.between(look.time(), Instant.now()));
	}

	/**
	 * The last look at all queues.
	 */
	QueueSnapshots.Look latest() {
		return this.snapshots.latest();
	}

	/**
	 * Redis, the instances and all queues in a few figures. All readers share the look at
	 * the queues and the examination of Redis.
	 */
	StatusView status() {
		StatusView.Redis now = redis();
		if (now != null && !now.answers()) {
			return AnswerLimit.within(WHILE_SILENT,
					() -> StatusView.of(this.snapshots.latest(), this.admin.queues().now(), now, null));
		}
		QueueSnapshots.Look look = this.snapshots.latest();
		return StatusView.of(look, this.admin.queues().now(), now, instances(look.time()));
	}

	/**
	 * Nothing is known of a Redis that answers, but refuses to say how it is.
	 */
	private StatusView.@Nullable Redis redis() {
		try {
			return StatusView.Redis.of(this.redis.servers());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
		catch (ExecutionException ex) {
			return RedisFitness.isWithoutAnswer(ex) ? StatusView.Redis.SILENT : null;
		}
		catch (TimeoutException ex) {
			return StatusView.Redis.SILENT;
		}
	}

	/**
	 * How many instances there are; asked for once for each look at the queues.
	 */
	private int instances(Instant look) {
		Counted known = this.instances;
		if (known != null && known.look().equals(look)) {
			return known.instances();
		}
		int count = this.admin.queues().instances().size();
		this.instances = new Counted(look, count);
		return count;
	}

	QueueDetail queue(SecurityContext user, String queue) {
		checkQueue(queue);
		QueueCounts counts = QueueCounts.of(this.admin.queues().info(queue));
		List<InstanceInfo> instances = this.admin.queues().instances();
		QueueHistory history = this.admin.queues().history(queue);
		return new QueueDetail(history.time(), queue, this.rights.mayWrite(user), this.rights.seesPayloads(user),
				counts, QueueDetail.settings(queue, instances), limits(queue),
				QueueDetail.consumers(queue, this.admin.queues().consumers(queue), instances),
				this.admin.deadLetters().redriveStatus(queue).map(RedriveView::of).orElse(null),
				HistoryView.of(history, this.admin.queues().marks(queue)), diagnosis(queue),
				QueueDetail.bundles(this.admin.queues().bundles(queue)));
	}

	/**
	 * Bundles of which it gets the callback, by their ids: the first 1,000.
	 */
	Map<String, Object> bundles(String queue, @Nullable String page, @Nullable String size) {
		checkQueue(queue);
		Paging paging = Paging.of(page, size, MAX_BUNDLES);
		List<BundleInfo> all = this.admin.queues().bundles(queue);
		return RecordView.page(this.admin.queues().now(), paging, "bundles", paging.of(all), all.size());
	}

	Map<String, Object> diagnosis(String queue) {
		checkQueue(queue);
		return RecordView.of(this.admin.queues().diagnose(queue));
	}

	/**
	 * The limits of a queue, and where they come from.
	 */
	Map<String, Object> limits(String queue) {
		checkQueue(queue);
		return LimitsView.of(this.admin.limits().of(queue));
	}

	/**
	 * The last hour, day or month of a queue.
	 * @param parameters {@code span}, an hour by default and where there are none
	 */
	HistoryView history(String queue, @Nullable RequestParameters parameters) {
		checkQueue(queue);
		HistoryView.Span span = Parameters.word("span", (parameters != null) ? parameters.get("span") : null,
				EnumSet.allOf(HistoryView.Span.class));
		List<HistoryMark> marks = this.admin.queues().marks(queue);
		return switch ((span != null) ? span : HistoryView.Span.HOUR) {
			case HOUR -> HistoryView.of(this.admin.queues().history(queue), marks);
			case DAY -> HistoryView.of(this.admin.queues().history(queue, LongHistory.Span.DAY), marks);
			case MONTH -> HistoryView.of(this.admin.queues().history(queue, LongHistory.Span.MONTH), marks);
		};
	}

	/**
	 * When how many scheduled messages are due.
	 * @param parameters {@code span}, a day by default, and {@code zone}, UTC by default
	 */
	Map<String, Object> calendar(String queue, RequestParameters parameters) {
		checkQueue(queue);
		QueueCalendar.Span span = Parameters.word("span", parameters.get("span"),
				EnumSet.allOf(QueueCalendar.Span.class));
		QueueCalendar calendar = this.admin.queues()
			.calendar(queue, (span != null) ? span : QueueCalendar.Span.DAY, zone(parameters.text("zone")));
		Map<String, Object> view = RecordView.of(calendar);
		view.put("zone", calendar.zone().getId());
		return view;
	}

	private static ZoneId zone(@Nullable String zone) {
		String id = (zone != null) ? zone : "UTC";
		try {
			return ZoneId.of(id);
		}
		catch (DateTimeException ex) {
			throw RequestException.badParameter("zone",
					"'zone' must be a time zone such as Europe/Berlin or +02:00: " + ErrorView.quote(id));
		}
	}

	/**
	 * Keys of which messages wait, and limits.
	 */
	Map<String, Object> keys(String queue) {
		checkQueue(queue);
		return RecordView.of(this.admin.queues().waitingKeys(queue));
	}

	/**
	 * The faults in the data of the queue in Redis, if there are any.
	 */
	Map<String, Object> check(String queue) {
		checkQueue(queue);
		return RecordView.of(this.admin.queues().check(queue));
	}

	/**
	 * The causes of death of at most {@value #MAX_DEAD} messages, the last ones to die.
	 */
	Map<String, Object> causes(String queue) {
		checkQueue(queue);
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", this.admin.queues().now());
		view.put("queue", queue);
		SharedCauses.Counted counted = this.causes.of(queue);
		view.put("countedAt", counted.at());
		view.putAll(RecordView.of(counted.causes()));
		this.admin.deadLetters()
			.redriveStatus(queue)
			.map(RedriveView::of)
			.ifPresent((redrive) -> view.put("redrive", redrive));
		return view;
	}

	/**
	 * Refuses an invalid name of a queue; whether the queue exists is not checked.
	 */
	static void checkQueue(String queue) {
		try {
			GroupName.checkQueue(queue);
		}
		catch (IllegalArgumentException ex) {
			throw RequestException.unknownQueue(queue);
		}
	}

	/**
	 * How many instances there were.
	 *
	 * @param look when the queues were looked at
	 */
	private record Counted(Instant look, int instances) {

	}

}
