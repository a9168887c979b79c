package io.redelay.samples.shop.webhook;

import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/**
 * The merchants' payments over HTTP, and the calls that were made for them.
 */
@RestController
@RequestMapping("/merchants/{merchant}")
class MerchantController {

	private final PaymentWebhook webhook;

	MerchantController(PaymentWebhook webhook) {
		this.webhook = webhook;
	}

	@PostMapping("/payments")
	@ResponseStatus(HttpStatus.ACCEPTED)
	PaymentWebhook.Payment pay(@PathVariable @Size(max = 100) String merchant,
			@Valid @RequestBody TakePayment request) {
		return this.webhook.take(merchant, request.amount());
	}

	@GetMapping("/calls")
	List<WebhookCall> findCalls(@PathVariable String merchant) {
		return this.webhook.findCalls(merchant);
	}

}
