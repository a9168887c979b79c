package io.redelay.samples.shop.receipt;

import java.util.List;

import io.redelay.queue.DeathReason;
import io.redelay.queue.QueueException;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.RedriveResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;

/**
 * Tests for {@link DeadReceiptController}.
 */
@WebMvcTest(DeadReceiptController.class)
class DeadReceiptControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private DeadReceiptService dead;

	@Test
	void listsCauses() {
		given(this.dead.causes())
			.willReturn(List.of(new DeadLetterCount(DeathReason.FAILED, "com.example.MailFailedException", "busy", 3)));
		assertThat(this.mvc.get().uri("/receipts/dead/causes")).hasStatusOk().bodyJson().isStrictlyEqualTo("""
				[{"reason": "FAILED", "exception": "com.example.MailFailedException", "message": "busy",
				  "count": 3}]""");
	}

	@Test
	void redrivesSome() {
		given(this.dead.redrive(new RedriveReceipts("com.example.MailFailedException", "busy", 5.0)))
			.willReturn(new RedriveResult(3, List.of("u7")));
		MvcTestResult result = redrive("{'exception':'com.example.MailFailedException','text':'busy','perSecond':5}");
		assertThat(result).hasStatusOk().bodyJson().isStrictlyEqualTo("""
				{"redriven": 3, "refused": ["u7"]}""");
	}

	@Test
	void redrivesAllWhenNothingIsSaid() {
		given(this.dead.redrive(RedriveReceipts.ALL)).willReturn(new RedriveResult(3, List.of()));
		assertThat(redrive("{}")).hasStatusOk();
		assertThat(this.mvc.post().uri("/receipts/dead/redrive")).hasStatusOk();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			perSecond | {'perSecond':-1}
			perSecond | {'perSecond':0}
			perSecond | {'perSecond':1e-300}
			perSecond | {'perSecond':1e300}
			perSecond | {'perSecond':'fast'}
			exception | {'exception':''}
			exception | {'exception':{}}
			text      | {'text':''}
			""")
	void namesFieldOfBadRequest(String field, String body) {
		MvcTestResult result = redrive(body);
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.errors." + field).asString().isNotBlank();
		then(this.dead).shouldHaveNoInteractions();
	}

	@Test
	void reportsThatQueueDoesNotAnswer() {
		given(this.dead.redrive(any())).willThrow(new QueueException("No connection"));
		assertThat(redrive("{}")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	private MvcTestResult redrive(String body) {
		return this.mvc.post()
			.uri("/receipts/dead/redrive")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

}
