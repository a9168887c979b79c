package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.LanesScript;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Lists the consumers of a queue: its open lanes, and the announcements of their
 * instances.
 *
 * @since 0.1.0
 */
public record ConsumerDirectory(AdminScripts store, JsonMapper mapper) {

	public List<ConsumerInfo> of(String queue, List<String> partitions) {
		Map<String, List<LanesScript.Lane>> lanes = new LinkedHashMap<>();
		for (String partition : partitions) {
			for (LanesScript.Lane lane : StoreCalls.await(this.store.lanes().run(partition))) {
				lanes.computeIfAbsent(lane.instance(), (instance) -> new ArrayList<>()).add(lane);
			}
		}
		Map<String, String> descriptions = StoreCalls
			.await(new InstanceKeys(this.store.runner()).descriptions(lanes.keySet()));
		InstanceDirectory.Announced announced = StoreCalls
			.await(new InstanceDirectory(this.store, this.mapper).askAll());
		Map<String, Instant> started = announced.all()
			.stream()
			.collect(Collectors.toMap(InstanceInfo::instance, InstanceInfo::startedAt));
		List<ConsumerInfo> consumers = new ArrayList<>();
		lanes.forEach((instance, theirs) -> consumers
			.add(describe(queue, instance, theirs, descriptions.get(instance), started.get(instance))));
		announced.believed()
			.stream()
			.filter((instance) -> !lanes.containsKey(instance.instance()))
			.map((instance) -> withoutLane(queue, instance))
			.filter((consumer) -> !consumer.listeners().isEmpty())
			.forEach(consumers::add);
		return consumers;
	}

	/**
	 * An instance that gets no handler for a queue, because these work on other queues of
	 * the same listener, has no lane there.
	 */
	private static ConsumerInfo withoutLane(String queue, InstanceInfo instance) {
		List<String> listeners = instance.listeners()
			.stream()
			.filter((listener) -> listener.state() == InstanceListener.State.RUNNING
					&& listener.queues().stream().anyMatch((each) -> each.queue().equals(queue)))
			.map(InstanceListener::id)
			.toList();
		return new ConsumerInfo(instance.instance(), instance.name(), instance.startedAt(), listeners, 0,
				Duration.ZERO);
	}

	private ConsumerInfo describe(String queue, String instance, List<LanesScript.Lane> lanes,
			@Nullable String announced, @Nullable Instant started) {
		InstanceDescription description = InstanceDescription.read(this.mapper, announced);
		long held = lanes.stream().mapToLong(LanesScript.Lane::held).sum();
		Duration lease = lanes.stream().map(LanesScript.Lane::lease).max(Duration::compareTo).orElse(Duration.ZERO);
		if (description == null) {
			return new ConsumerInfo(instance, null, null, List.of(), held, lease);
		}
		List<String> listeners = description.listeners()
			.stream()
			.filter((listener) -> listener.state() != InstanceListener.State.STOPPED
					&& listener.queues().stream().anyMatch((each) -> each.queue().equals(queue)))
			.map(InstanceListener::id)
			.toList();
		return new ConsumerInfo(instance, description.name(), (started != null) ? started : description.startedAt(),
				listeners, held, lease);
	}

}
