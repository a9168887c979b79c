package io.redelay.queue.admin.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.QueueDiagnosis;
import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.WaitingKeys;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.script.admin.AdminScripts;

/**
 * Counts and describes queues, and diagnoses them.
 */
final class QueueInspectorTemplate implements QueueInspector {

	private final QueueAccess queues;

	private final ConsumerDirectory consumers;

	private final InstanceDirectory instances;

	private final QueueDiagnoser diagnoser;

	private final HistoryReader histories;

	private final KeyReader keys;

	private final DeduplicationKeys deduplications;

	private final QueueChecker checker;

	private final BundleDirectory bundles;

	QueueInspectorTemplate(AdminScripts store, QueueAccess queues, ConsumerDirectory consumers,
			InstanceDirectory instances) {
		this.queues = queues;
		this.consumers = consumers;
		this.instances = instances;
		this.diagnoser = new QueueDiagnoser(store);
		this.histories = new HistoryReader(store, queues.partitions());
		this.keys = new KeyReader(store, instances);
		this.deduplications = new DeduplicationKeys(store);
		this.checker = new QueueChecker(store);
		this.bundles = new BundleDirectory(store.bundles().bundles());
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
		return StoreCalls.await(this.instances.ask());
	}

	@Override
	public QueueDiagnosis diagnose(String queue) {
		this.queues.check(queue);
		List<String> all = this.queues.partitions(queue);
		return StoreCalls
			.await(this.instances.ask().thenCompose((announced) -> this.diagnoser.look(queue, all, announced)))
			.diagnosis();
	}

	@Override
	public QueueHistory history(String queue) {
		this.queues.check(queue);
		return this.histories.read(queue);
	}

	@Override
	public Map<String, QueueHistory> histories(Collection<String> queues) {
		queues.forEach(GroupName::checkQueue);
		return this.histories.read(queues);
	}

	@Override
	public WaitingKeys waitingKeys(String queue) {
		this.queues.check(queue);
		return this.keys.read(queue, this.queues.partitions(queue));
	}

	@Override
	public List<DeduplicationKey> deduplicationKeys(String queue, String key) {
		this.queues.check(queue);
		return this.deduplications.find(queue, this.queues.partitions(queue), key);
	}

	@Override
	public QueueCheck check(String queue) {
		this.queues.check(queue);
		return this.checker.check(queue, this.queues.partitions(queue));
	}

	@Override
	public List<BundleInfo> bundles(String queue) {
		this.queues.check(queue);
		return this.bundles.list(queue);
	}

	@Override
	public Optional<BundleInfo> bundle(String queue, String id) {
		this.queues.check(queue);
		AdminArguments.checkId(id);
		return this.bundles.find(queue, id);
	}

}
