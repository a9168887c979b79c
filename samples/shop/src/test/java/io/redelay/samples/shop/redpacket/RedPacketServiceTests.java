package io.redelay.samples.shop.redpacket;

import java.math.BigDecimal;
import java.time.Duration;

import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.account.AccountService;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedPacketService} and {@link RefundTimeout}.
 */
@DataJdbcTest
@Import({ RedPacketService.class, RefundTimeout.class, AccountService.class })
@MockitoBean(types = QueueOperations.class)
class RedPacketServiceTests {

	@Autowired
	private RedPacketService redPackets;

	@Autowired
	private RefundTimeout timeout;

	@Autowired
	private AccountService accounts;

	@Autowired
	private JdbcClient database;

	@BeforeEach
	void openAccounts() {
		this.accounts.open("alice");
		this.accounts.open("bob");
	}

	@Test
	void takesMoneyFromSender() {
		send("8.88");
		assertThat(balance("alice")).isEqualByComparingTo("991.12");
		assertThat(balance("bob")).isEqualByComparingTo("1000.00");
	}

	@Test
	void doesNotTakeMoneyThatSenderDoesNotHave() {
		assertThatExceptionOfType(ConflictException.class).isThrownBy(() -> send("1000.01"));
		assertThat(balance("alice")).isEqualByComparingTo("1000.00");
		assertThat(this.database.sql("select count(*) from red_packet").query(Integer.class).single()).isZero();
	}

	@Test
	void givesMoneyToRecipientOnce() {
		String id = send("8.88").id();
		assertThat(this.redPackets.open(id).status()).isEqualTo(RedPacket.Status.OPENED);
		assertThat(this.redPackets.open(id).status()).isEqualTo(RedPacket.Status.OPENED);
		this.timeout.refund(new RefundTimeout.TimeIsUp(id));
		assertThat(balance("alice")).isEqualByComparingTo("991.12");
		assertThat(balance("bob")).isEqualByComparingTo("1008.88");
	}

	@Test
	void givesMoneyBackOnce() {
		String id = send("8.88").id();
		this.timeout.refund(new RefundTimeout.TimeIsUp(id));
		this.timeout.refund(new RefundTimeout.TimeIsUp(id));
		assertThatExceptionOfType(ConflictException.class).isThrownBy(() -> this.redPackets.open(id));
		assertThat(this.redPackets.find(id).status()).isEqualTo(RedPacket.Status.REFUNDED);
		assertThat(balance("alice")).isEqualByComparingTo("1000.00");
		assertThat(balance("bob")).isEqualByComparingTo("1000.00");
	}

	@Test
	void doesNotOpenUnknownRedPacket() {
		assertThatExceptionOfType(NotFoundException.class).isThrownBy(() -> this.redPackets.open("7"));
	}

	@Test
	void opensAccountOnce() {
		send("8.88");
		this.accounts.open("alice");
		assertThat(balance("alice")).isEqualByComparingTo("991.12");
	}

	private RedPacket send(String amount) {
		return this.redPackets.send(new SendRedPacket("alice", "bob", new BigDecimal(amount), Duration.ofSeconds(2)));
	}

	private BigDecimal balance(String name) {
		return this.database.sql("select balance from account where name = :name")
			.param("name", name)
			.query(BigDecimal.class)
			.single();
	}

}
