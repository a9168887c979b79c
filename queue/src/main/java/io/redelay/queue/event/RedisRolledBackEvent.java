package io.redelay.queue.event;

/**
 * Redis went back in time, after a failover to a replica that lagged behind, or a restart
 * with older data, and a lane of this instance has noticed it. Published as an event of
 * the application on a thread of its own, once for each lane.
 *
 * @param queue the queue that the lane belongs to
 * @param lane what the lane is for: {@code sender}, {@code consumer} or {@code commands}
 * @param forgotten how many requests that were answered Redis does not remember
 * @param repeated how many messages were sent again, settlements made again, or commands
 * repeated
 * @param givenBack how many messages are delivered again, because their settlement was
 * not remembered by this instance, or because another lane claimed them before this one
 * could report that they are held or settled
 * @param missing how many requests were forgotten by this instance as well, or not
 * repeated as a whole, so that sends or commands are lost
 * @since 0.1.0
 */
public record RedisRolledBackEvent(String queue, String lane, long forgotten, long repeated, long givenBack,
		long missing) {
}
