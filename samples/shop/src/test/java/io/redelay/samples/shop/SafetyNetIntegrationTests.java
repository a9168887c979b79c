package io.redelay.samples.shop;

import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the shop does about orders and red packets that lost their message.
 */
@ShopTest
class SafetyNetIntegrationTests {

	private ShopClient shop;

	@Autowired
	private JdbcClient database;

	@Autowired
	private StringRedisTemplate redis;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void orderThatHasNoMessageIsCancelled() {
		String id = UUID.randomUUID().toString();
		this.database.sql("""
				insert into shop_order (id, item, amount, email, status, created_at, pay_by)
				values (:id, 'book', 42.50, 'amy@example.com', 'PENDING', :now, :payBy)""")
			.param("id", id)
			.param("now", Timestamp.from(Instant.now()))
			.param("payBy", Timestamp.from(Instant.now().minusSeconds(4)))
			.update();
		eventually(() -> assertThat(this.shop.order(id).status()).isEqualTo("CANCELLED"));
	}

	@Test
	@Tag("full")
	void redisThatLosesAllItsDataDelaysButLosesNothing() {
		String order = this.shop.placeOrder(Duration.ofSeconds(1));
		String redPacket = this.shop.sendRedPacket("amy", "ben", "8.88", Duration.ofSeconds(1));
		this.redis.execute((RedisCallback<Void>) (connection) -> {
			connection.serverCommands().flushAll();
			return null;
		});
		eventually(() -> {
			assertThat(this.shop.order(order).status()).isEqualTo("CANCELLED");
			assertThat(this.shop.redPacket(redPacket).status()).isEqualTo("REFUNDED");
		});
		assertThat(this.shop.balance("amy")).isEqualByComparingTo(new BigDecimal("1000.00"));
	}

}
