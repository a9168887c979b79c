package io.redelay.queue.admin.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.redelay.queue.QueueException;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.ConsumerDirectory;
import io.redelay.queue.event.TopicGroupEvent;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.script.ReplayScript;
import io.redelay.queue.script.TopicScript;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.topic.TopicGroups;

/**
 * Looks at topics and acts on their groups.
 */
record TopicAdminTemplate(TopicScripts scripts, QueueAccess queues, ConsumerDirectory consumers, TopicGroups groups,
		Map<String, LengthLimit> limits, Uids uids) implements TopicAdmin {

	@Override
	public Set<String> names() {
		return new TreeSet<>(StoreCalls.await(this.scripts.topic().names()));
	}

	@Override
	public TopicInfo info(String topic) {
		TopicScript.StoredTopic stored = look(topic);
		List<TopicGroupInfo> infos = new ArrayList<>();
		for (TopicScript.StoredGroup group : stored.groups()) {
			String queue = GroupName.of(topic, group.name());
			int consuming = this.consumers.of(queue, List.of(queue)).size();
			infos.add(new TopicGroupInfo(group.name(), queue,
					(consuming > 0) ? TopicGroupInfo.State.ACTIVE : TopicGroupInfo.State.WAITING, group.since(),
					group.expiry(), consuming, group.filter().filter(),
					this.queues.counter().info(queue, List.of(queue))));
		}
		TopicRetention kept = stored.retention();
		return new TopicInfo(topic, List.copyOf(infos), !kept.equals(TopicRetention.NONE), kept.maxAge(),
				kept.maxCount(), kept.maxBytes());
	}

	private TopicScript.StoredTopic look(String topic) {
		GroupName.checkTopic(topic);
		TopicScript.StoredTopic stored = StoreCalls.await(this.scripts.topic().run(topic));
		if (stored.version().isEmpty()) {
			throw new UnknownQueueException("There is no topic '" + topic
					+ "': nothing was ever published to it, and no listener consumes it. There are: "
					+ String.join(", ", names()));
		}
		return stored;
	}

	@Override
	public long removeGroup(String topic, String group) {
		GroupName.checkTopic(topic);
		GroupName.checkGroup(group);
		long messages = remove(topic, group, TopicScript.Reason.BY_HAND);
		this.groups.publish(topic, group, TopicGroupEvent.Type.REMOVED, messages);
		this.queues.known().forget(GroupName.of(topic, group));
		return messages;
	}

	/**
	 * Returns how many messages were removed with the group, or would be if this only
	 * looks.
	 */
	private long remove(String topic, String group, TopicScript.Reason reason) {
		TopicScript.Removal removal = StoreCalls.await(this.scripts.topic().removeGroup(topic, group, reason));
		return switch (removal.outcome()) {
			case OK -> removal.messages();
			case BUSY, KEPT, NOTES -> throw new QueueException("The group '" + group + "' of the topic '" + topic
					+ "' has a consumer and is not removed: stop its listeners first. One that has crashed counts until"
					+ " its lease has run out");
			case UNKNOWN -> throw unknown(topic, group);
		};
	}

	private UnknownQueueException unknown(String topic, String group) {
		List<String> others = look(topic).groups().stream().map(TopicScript.StoredGroup::name).toList();
		return new UnknownQueueException(
				"The topic '" + topic + "' has no group '" + group + "'. It has: " + String.join(", ", others));
	}

	@Override
	public long replay(String topic, String group, Instant since) {
		GroupName.checkGroup(group);
		if (look(topic).retention().equals(TopicRetention.NONE)) {
			throw new QueueException("Nothing is kept of what is published to the topic '" + topic
					+ "': set 'redelay.queue.topics." + topic + ".retention', which holds for what comes from then on");
		}
		LengthLimit limit = this.limits.get(GroupName.of(topic, group));
		String lane = StoreCalls.await(this.scripts.replay().open(topic, group));
		long given = 0;
		String from = Long.toString(Math.max(0, since.toEpochMilli()));
		String last = "+";
		boolean hasMore = true;
		for (long seq = 1; hasMore; seq++) {
			ReplayScript.Replayed reply = StoreCalls.await(this.scripts.replay()
				.run(topic, group, new ReplayScript.Step(lane, seq, from, last, this.uids.next(), limit)));
			LaneStatus status = reply.status();
			if (status == null) {
				throw unknown(topic, group);
			}
			check(topic, group, status, given);
			given += reply.added();
			from = "(" + reply.reached();
			last = reply.last();
			hasMore = reply.hasMore();
		}
		return given;
	}

	private static void check(String topic, String group, LaneStatus status, long given) {
		String why = switch (status) {
			case OK -> null;
			case FULL -> "it has as many messages as it may, or the line of an ordering key has";
			case CLOSED -> "it is closed for new messages";
			default -> "Redis does not know the replay any more: " + status;
		};
		if (why != null) {
			throw new QueueException("The replay of the topic '" + topic + "' to the group '" + group + "' ended after "
					+ given + " message(s), which stay: " + why);
		}
	}

	@Override
	public void delete(String topic) {
		List<TopicScript.StoredGroup> all = look(topic).groups();
		all.forEach((group) -> remove(topic, group.name(), TopicScript.Reason.LOOK));
		all.forEach((group) -> removeGroup(topic, group.name()));
		if (!StoreCalls.await(this.scripts.topic().forget(topic))) {
			throw new QueueException(
					"The topic '" + topic + "' is not deleted: a group was registered meanwhile; stop its listeners");
		}
	}

}
