package io.redelay.queue.actuate;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.InstanceListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessages;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The reads of the endpoint {@code queues} that belong to no single queue: instances,
 * topics and recurring messages.
 *
 * @since 0.1.0
 */
public final class DirectoryReads {

	private static final int MAX_SIZE = 200;

	private final QueueAdmin admin;

	private final Supplier<List<RecurringInfo>> recurring;

	private final EndpointRights rights;

	private final MessageMasking masking;

	private final QueueSnapshots snapshots;

	/**
	 * Creates the reads.
	 * @param admin looks at queues
	 * @param recurring lists recurring messages, or {@code null} if there are none
	 * @param rights the rights of users
	 * @param masking masks the state of recurring messages
	 * @param snapshots knows which queues are paused
	 */
	public DirectoryReads(QueueAdmin admin, @Nullable RecurringMessages recurring, EndpointRights rights,
			MessageMasking masking, QueueSnapshots snapshots) {
		this.admin = admin;
		this.recurring = (recurring != null) ? recurring::list : List::of;
		this.rights = rights;
		this.masking = masking;
		this.snapshots = snapshots;
	}

	Map<String, Object> instances(@Nullable String page, @Nullable String size) {
		Paging paging = Paging.of(page, size, MAX_SIZE);
		List<InstanceInfo> all = this.admin.queues().instances();
		Instant time = this.admin.queues().now(); // before other reads, or all seem
													// silent
		Map<String, QueueSnapshot> queues = this.snapshots.latest().queues();
		return RecordView.page(time, paging, "instances", paging.of(all).stream().map((instance) -> {
			Map<String, Object> view = new LinkedHashMap<>();
			view.put("id", instance.instance());
			view.putAll(RecordView.of(instance));
			view.remove("instance");
			view.put("listeners", instance.listeners().stream().map((listener) -> listener(listener, queues)).toList());
			return view;
		}).toList(), all.size());
	}

	/**
	 * A listener, with what keeps it from taking messages of its queues in all instances.
	 */
	private static Map<String, Object> listener(InstanceListener listener, Map<String, QueueSnapshot> queues) {
		Map<String, Object> view = RecordView.of(listener);
		view.put("queues", listener.queues().stream().map((listened) -> {
			Map<String, Object> row = RecordView.of(listened);
			QueueSnapshot queue = queues.get(listened.queue());
			if (queue != null && queue.info().paused()) {
				row.put("paused", true);
			}
			if (queue != null && queue.info().gatedUntil() != null) {
				row.put("gatedUntil", queue.info().gatedUntil());
			}
			return row;
		}).toList());
		return view;
	}

	Map<String, Object> recurring(SecurityContext user, @Nullable String page, @Nullable String size) {
		return recurring(user, this.recurring.get(), page, size);
	}

	Map<String, Object> recurringOf(SecurityContext user, String queue, @Nullable String page, @Nullable String size) {
		QueueReads.checkQueue(queue);
		this.admin.queues().info(queue);
		return recurring(user, this.recurring.get().stream().filter((info) -> info.queue().equals(queue)).toList(),
				page, size);
	}

	private Map<String, Object> recurring(SecurityContext user, List<RecurringInfo> all, @Nullable String page,
			@Nullable String size) {
		Paging paging = Paging.of(page, size, MAX_SIZE);
		InstanceNames names = new InstanceNames(this.admin.queues()::instances);
		return RecordView.page(this.admin.queues().now(), paging, "recurring", paging.of(all).stream().map((info) -> {
			Map<String, Object> view = RecordView.of(info);
			view.remove("state");
			if (info.state() != null) {
				putState(view, info.state(), this.rights.seesPayloads(user));
			}
			String name = names.of(info.declaredBy());
			if (name != null) {
				view.put("declaredByName", name);
			}
			return view;
		}).toList(), all.size());
	}

	private void putState(Map<String, Object> view, String state, boolean shown) {
		if (shown) {
			BoundedText text = this.masking.payload(state.getBytes(StandardCharsets.UTF_8), "application/json");
			view.put("state", String.valueOf(text.text()));
		}
		else {
			view.put("stateMasked", true);
		}
	}

	Map<String, Object> topics(@Nullable String page, @Nullable String size, @Nullable String name) {
		Paging paging = Paging.of(page, size, MAX_SIZE);
		String part = Parameters.text("name", name);
		List<String> all = this.admin.topics()
			.names()
			.stream()
			.filter((topic) -> part == null || topic.contains(part))
			.toList();
		return RecordView.page(this.admin.queues().now(), paging, "topics",
				paging.of(all).stream().map(this::summary).toList(), all.size());
	}

	private Map<String, Object> summary(String topic) {
		TopicInfo info = this.admin.topics().info(topic);
		Map<String, Object> view = RecordView.of(info);
		view.put("groups", info.groups().size());
		view.put("waiting",
				info.groups().stream().filter((group) -> group.state() == TopicGroupInfo.State.WAITING).count());
		return view;
	}

	Map<String, Object> topic(String topic) {
		try {
			GroupName.checkTopic(topic);
		}
		catch (IllegalArgumentException ex) {
			throw RequestException.unknownTopic(topic);
		}
		TopicInfo info = this.admin.topics().info(topic);
		Map<String, Object> view = new LinkedHashMap<>();
		view.put("time", this.admin.queues().now());
		view.putAll(RecordView.of(info));
		List<Map<String, Object>> groups = new ArrayList<>();
		for (TopicGroupInfo group : info.groups()) {
			Map<String, Object> row = RecordView.of(group);
			row.remove("info");
			row.remove("filter");
			if (!group.filter().isEmpty()) {
				row.put("filter", group.filter().toString());
			}
			row.putAll(RecordView.of(group.info()));
			groups.add(row);
		}
		view.put("groups", groups);
		return view;
	}

}
