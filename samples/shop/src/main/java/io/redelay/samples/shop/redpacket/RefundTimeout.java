package io.redelay.samples.shop.redpacket;

import java.time.Instant;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.account.AccountService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Gives the money of a red packet back that is not opened in time.
 */
@Component
class RefundTimeout {

	static final String QUEUE = "refund-timeout";

	private static final Logger logger = LoggerFactory.getLogger(RefundTimeout.class);

	private final QueueOperations queues;

	private final RedPacketRepository redPackets;

	private final AccountService accounts;

	RefundTimeout(QueueOperations queues, RedPacketRepository redPackets, AccountService accounts) {
		this.queues = queues;
		this.redPackets = redPackets;
		this.accounts = accounts;
	}

	void start(RedPacket redPacket) {
		this.queues.send(timeIsUp(redPacket.id()).delay(redPacket.timeToOpen()));
	}

	/**
	 * The message is acknowledged after the commit. A crash in between brings it again,
	 * to a red packet that is no longer pending.
	 */
	@QueueListener(QUEUE)
	@Transactional
	void refund(TimeIsUp message) {
		String id = message.redPacketId();
		if (this.redPackets.refund(id, Instant.now())) {
			RedPacket redPacket = this.redPackets.findById(id).orElseThrow();
			this.accounts.deposit(redPacket.sender(), redPacket.amount());
			logger.info("Red packet {} was not opened in time and is refunded", id);
		}
	}

	/**
	 * The safety net, as for orders.
	 */
	@Scheduled(fixedDelayString = "${shop.sweep-interval}")
	void sendAgain() {
		Instant longAgo = Instant.now().minusSeconds(5);
		this.queues.sendAll(this.redPackets.findPendingRefundAt(longAgo).stream().map(this::timeIsUp).toList());
	}

	private OutboundMessage timeIsUp(String redPacketId) {
		return OutboundMessage.to(QUEUE, new TimeIsUp(redPacketId)).id(redPacketId);
	}

	/**
	 * Says that the time to open a red packet is up.
	 */
	record TimeIsUp(String redPacketId) {

	}

}
