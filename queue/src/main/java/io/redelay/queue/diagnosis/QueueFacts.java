package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.RedriveStatus;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.admin.LanesScript;
import io.redelay.queue.script.admin.LookScript;
import org.jspecify.annotations.Nullable;

/**
 * The facts from which a queue is diagnosed.
 *
 * @param time when it was looked at, by the clock of Redis
 * @param info how many messages it has
 * @param waiting what shows why its messages wait
 * @param consumers what consumes it
 * @param throughput what became of messages lately, if that is counted
 * @param limits the limits that are set for all instances
 * @param redrive by which rule dead messages are redriven, if any
 * @param redisTime how long Redis took to answer
 * @since 0.1.0
 */
public record QueueFacts(Instant time, QueueInfo info, LookScript.Waiting waiting, Consumers consumers,
		@Nullable Throughput throughput, StoredLimits limits, @Nullable RedriveStatus redrive, Duration redisTime) {

	/**
	 * What consumes a queue.
	 *
	 * @param lanes the living lanes
	 * @param takers how many instances take over from its inlet
	 * @param instances the instances that announce a listener to the queue, or did so
	 * lately
	 * @param asked when the instances were asked for, by the clock of their announcements
	 */
	public record Consumers(List<LanesScript.Lane> lanes, int takers, List<InstanceInfo> instances, Instant asked) {

		/**
		 * Copies the lists.
		 */
		public Consumers {
			lanes = List.copyOf(lanes);
			instances = List.copyOf(instances);
		}

		/**
		 * How many instances have a living lane.
		 */
		int living() {
			return (int) this.lanes.stream().map(LanesScript.Lane::instance).distinct().count();
		}

		/**
		 * The living lanes of an instance.
		 */
		List<LanesScript.Lane> lanesOf(String instance) {
			return this.lanes.stream().filter((lane) -> lane.instance().equals(instance)).toList();
		}

	}

}
