package io.redelay.samples.shop.redpacket;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.Repository;

/**
 * The red packets. Opening and refunding race: the first update of a pending one wins.
 */
interface RedPacketRepository extends Repository<RedPacket, String> {

	Optional<RedPacket> findById(String id);

	@Modifying
	@Query("update red_packet set status = 'OPENED', opened_at = :now where id = :id and status = 'PENDING'")
	boolean open(String id, Instant now);

	@Modifying
	@Query("update red_packet set status = 'REFUNDED', refunded_at = :now where id = :id and status = 'PENDING'")
	boolean refund(String id, Instant now);

	@Query("select id from red_packet where status = 'PENDING' and refund_at < :time order by refund_at limit 1000")
	List<String> findPendingRefundAt(Instant time);

}
