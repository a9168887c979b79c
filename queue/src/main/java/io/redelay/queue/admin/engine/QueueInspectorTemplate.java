package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueCalendar;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.script.admin.AdminScripts;

/**
 * Counts and describes queues, and diagnoses them.
 */
record QueueInspectorTemplate(AdminScripts store, QueueAccess queues, ConsumerDirectory consumers,
		InstanceDirectory directory, QueueLimitAdmin limits, QueueMarks marks,
		RedisClock clock) implements QueueInspector {

	@Override
	public Instant now() {
		return this.clock.now();
	}

	@Override
	public Set<String> names() {
		return this.queues.known().all();
	}

	@Override
	public QueueInfo info(String queue) {
		this.queues.check(queue);
		return this.queues.counter().info(queue, this.queues.partitions(queue));
	}

	@Override
	public Map<String, QueueInfo> infos() {
		Map<String, QueueInfo> infos = new TreeMap<>();
		this.queues.known()
			.all()
			.forEach((queue) -> infos.put(queue, this.queues.counter().info(queue, this.queues.partitions(queue))));
		return infos;
	}

	@Override
	public List<ConsumerInfo> consumers(String queue) {
		this.queues.check(queue);
		return this.consumers.of(queue, this.queues.partitions(queue));
	}

	@Override
	public List<InstanceInfo> instances() {
		return StoreCalls.await(this.directory.ask());
	}

	@Override
	public QueueDiagnosis diagnose(String queue) {
		this.queues.check(queue);
		List<String> all = this.queues.partitions(queue);
		return StoreCalls
			.await(this.directory.askAll()
				.thenCompose((announced) -> new QueueDiagnoser(this.store).look(queue, all, announced)))
			.diagnosis();
	}

	@Override
	public QueueHistory history(String queue) {
		this.queues.check(queue);
		return histories().read(queue);
	}

	@Override
	public Map<String, QueueHistory> histories(Collection<String> queues) {
		queues.forEach(GroupName::checkQueue);
		return histories().read(queues);
	}

	@Override
	public LongHistory history(String queue, LongHistory.Span span) {
		this.queues.check(queue);
		return new LongHistoryReader(this.store).read(queue, this.queues.partitions(queue), span);
	}

	@Override
	public List<HistoryMark> marks(String queue) {
		this.queues.check(queue);
		return this.marks.read(queue);
	}

	private HistoryReader histories() {
		return new HistoryReader(this.store, this.queues.partitions());
	}

	@Override
	public QueueCalendar calendar(String queue, QueueCalendar.Span span, ZoneId zone) {
		this.queues.check(queue);
		List<String> all = this.queues.partitions(queue);
		InstanceDirectory.Announced announced = StoreCalls.await(this.directory.askAll());
		QueueSnapshot now = StoreCalls.await(new QueueDiagnoser(this.store).look(queue, all, announced));
		return new CalendarReader(this.store, this.limits, histories()).read(all, now, announced.believed(), span,
				zone);
	}

	@Override
	public WaitingKeys waitingKeys(String queue) {
		this.queues.check(queue);
		return new KeyReader(this.store, this.directory).read(queue, this.queues.partitions(queue));
	}

	@Override
	public List<DeduplicationKey> deduplicationKeys(String queue, String key) {
		this.queues.check(queue);
		return new DeduplicationKeys(this.store).find(queue, this.queues.partitions(queue), key);
	}

	@Override
	public QueueCheck check(String queue) {
		this.queues.check(queue);
		return new QueueChecker(this.store).check(queue, this.queues.partitions(queue));
	}

	@Override
	public List<BundleInfo> bundles(String queue) {
		this.queues.check(queue);
		return bundleDirectory().list(queue);
	}

	private BundleDirectory bundleDirectory() {
		return new BundleDirectory(this.store.bundles().bundles());
	}

	@Override
	public Optional<BundleInfo> bundle(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		return bundleDirectory().find(queue, id);
	}

}
