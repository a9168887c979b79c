package io.redelay.samples.shop.redpacket;

import java.time.Instant;

import io.redelay.samples.shop.account.AccountService;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Moves money into a red packet, and out of it again, once.
 */
@Service
class RedPacketService {

	private final JdbcAggregateOperations aggregates;

	private final RedPacketRepository redPackets;

	private final AccountService accounts;

	private final RefundTimeout timeout;

	RedPacketService(JdbcAggregateOperations aggregates, RedPacketRepository redPackets, AccountService accounts,
			RefundTimeout timeout) {
		this.aggregates = aggregates;
		this.redPackets = redPackets;
		this.accounts = accounts;
		this.timeout = timeout;
	}

	@Transactional
	RedPacket send(SendRedPacket request) {
		this.accounts.withdraw(request.from(), request.amount());
		RedPacket redPacket = this.aggregates.insert(RedPacket.of(request, Instant.now()));
		this.timeout.start(redPacket);
		return redPacket;
	}

	@Transactional
	RedPacket open(String id) {
		boolean opened = this.redPackets.open(id, Instant.now());
		RedPacket redPacket = find(id);
		if (redPacket.status() == RedPacket.Status.REFUNDED) {
			throw new ConflictException("The red packet '%s' was not opened in time and is refunded".formatted(id));
		}
		if (opened) {
			this.accounts.deposit(redPacket.recipient(), redPacket.amount());
		}
		return redPacket;
	}

	RedPacket find(String id) {
		return this.redPackets.findById(id).orElseThrow(() -> new NotFoundException("red packet", id));
	}

}
