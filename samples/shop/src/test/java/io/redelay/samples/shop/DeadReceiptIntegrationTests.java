package io.redelay.samples.shop;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.samples.shop.ShopClient.Answer;
import io.redelay.samples.shop.mail.MailFailedException;
import io.redelay.samples.shop.mail.Mailer;
import io.redelay.samples.shop.mail.NoSuchMailHostException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyDouble;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willCallRealMethod;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.times;

/**
 * Receipts that cannot be mailed: listed by cause, corrected and mailed again.
 */
@ShopTest
@TestPropertySource(properties = { "shop.mailer.failure-rate=0", "shop.receipts.max-attempts=2" })
class DeadReceiptIntegrationTests {

	private static final String BUSY = MailFailedException.class.getName();

	private static final String NO_HOST = NoSuchMailHostException.class.getName();

	private final String busy = UUID.randomUUID() + "@example.com";

	private final String nowhere = UUID.randomUUID() + "@nowhere.invalid";

	private ShopClient shop;

	@MockitoSpyBean
	private Mailer mailer;

	@MockitoSpyBean
	private DeadLetterAdmin deadLetters;

	@Autowired
	private QueueAdmin admin;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
		this.admin.control().purge("receipts", MessageState.DEAD);
		willThrow(new MailFailedException("The mail server is busy")).given(this.mailer).send(eq(this.busy), any());
	}

	@Test
	void causesAreListedWithTheirCounts() {
		payOrderThatDies(this.nowhere);
		payOrderThatDies(this.busy);
		payOrderThatDies(this.nowhere);
		assertThat(causes()).containsExactlyInAnyOrderEntriesOf(Map.of(NO_HOST, 2, BUSY, 1));
	}

	@Test
	void correctedReceiptIsMailedAfterRedrive() {
		String id = payOrderThatDies(this.nowhere);
		String email = UUID.randomUUID() + "@example.com";
		Answer corrected = this.shop.correctReceipt(id, email);
		assertThat(corrected.status()).isEqualTo("DEAD");
		assertThat(corrected.body().required("email").asString()).isEqualTo(email);
		assertThat(redrive("{}")).isOne();
		eventually(() -> assertThat(this.shop.receipt(id).status()).isEqualTo("SENT"));
		then(this.mailer).should(times(1)).send(eq(email), any());
		assertThat(causes()).isEmpty();
		assertThat(this.shop.correctReceipt(id, email).code()).isEqualTo(409);
	}

	@Test
	void receiptThatIsNotCorrectedDiesAgain() {
		String id = payOrderThatDies(this.nowhere);
		assertThat(redrive("{}")).isOne();
		eventually(() -> assertThat(this.shop.receipt(id).body().required("failures").asInt()).isEqualTo(4));
		eventually(() -> assertThat(causes()).containsExactlyEntriesOf(Map.of(NO_HOST, 1)));
		assertThat(this.shop.receipt(id).status()).isEqualTo("DEAD");
	}

	@Test
	void receiptsAreChosenByTheirCause() {
		String nowhereId = payOrderThatDies(this.nowhere);
		String busyId = payOrderThatDies(this.busy);
		willCallRealMethod().given(this.mailer).send(eq(this.busy), any());
		assertThat(redrive("""
				{"exception": "%s", "text": "unknown"}""".formatted(BUSY))).isZero();
		assertThat(redrive("""
				{"exception": "%s", "text": "is busy"}""".formatted(BUSY))).isOne();
		eventually(() -> assertThat(this.shop.receipt(busyId).status()).isEqualTo("SENT"));
		assertThat(this.shop.receipt(nowhereId).status()).isEqualTo("DEAD");
		assertThat(causes()).containsExactlyEntriesOf(Map.of(NO_HOST, 1));
	}

	@Test
	void receiptWhoseTurnHasNotComeIsPending() {
		String first = payOrderThatDies(this.busy);
		String second = payOrderThatDies(this.busy);
		willCallRealMethod().given(this.mailer).send(eq(this.busy), any());
		assertThat(redrive("""
				{"perSecond": 0.01}""")).isEqualTo(2);
		assertThat(this.shop.receipt(second).status()).isEqualTo("PENDING");
		eventually(() -> assertThat(this.shop.receipt(first).status()).isEqualTo("SENT"));
		assertThat(this.shop.receipt(second).status()).isEqualTo("PENDING");
		assertThat(this.admin.messages().runNow("receipts", second).done()).isTrue();
		eventually(() -> assertThat(this.shop.receipt(second).status()).isEqualTo("SENT"));
	}

	@Test
	void receiptStaysDeadWhenRedriveFails() {
		String id = payOrderThatDies(this.nowhere);
		willThrow(new QueueException("No connection")).given(this.deadLetters).redrive(any(), any(), anyDouble());
		Answer answer = this.shop.redriveReceipts("""
				{"perSecond": 5}""");
		assertThat(answer.code()).isEqualTo(503);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(this.shop.receipt(id).status()).isEqualTo("DEAD");
		assertThat(causes()).containsExactlyEntriesOf(Map.of(NO_HOST, 1));
	}

	@Test
	void badRedriveIsRefused() {
		Answer answer = this.shop.redriveReceipts("""
				{"perSecond": -1}""");
		assertThat(answer.code()).isEqualTo(400);
		assertThat(answer.contentType()).isEqualTo("application/problem+json");
		assertThat(answer.body().required("detail").asString()).contains("perSecond");
	}

	/**
	 * The receipt is noted as dead before its message is.
	 */
	private String payOrderThatDies(String email) {
		String id = this.shop.placeOrder(Duration.ofMinutes(30), email);
		assertThat(this.shop.pay(id).status()).isEqualTo("PAID");
		eventually(() -> assertThat(this.admin.messages().find("receipts", id).orElseThrow().state())
			.isEqualTo(MessageState.DEAD));
		assertThat(this.shop.receipt(id).status()).isEqualTo("DEAD");
		return id;
	}

	private int redrive(String json) {
		Answer answer = this.shop.redriveReceipts(json);
		assertThat(answer.code()).as("%s", answer.body()).isEqualTo(200);
		assertThat(answer.body().required("refused")).isEmpty();
		return answer.body().required("redriven").asInt();
	}

	private Map<String, Integer> causes() {
		return this.shop.get("/receipts/dead/causes")
			.body()
			.valueStream()
			.collect(Collectors.toMap((cause) -> cause.required("exception").asString(),
					(cause) -> cause.required("count").asInt()));
	}

}
