package io.redelay.samples.shop.receipt;

import jakarta.validation.Valid;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The receipts over HTTP.
 */
@RestController
@RequestMapping("/receipts")
class ReceiptController {

	private final ReceiptService receipts;

	ReceiptController(ReceiptService receipts) {
		this.receipts = receipts;
	}

	@GetMapping("/{orderId}")
	Receipt find(@PathVariable String orderId) {
		return this.receipts.find(orderId);
	}

	@PutMapping("/{orderId}")
	Receipt correct(@PathVariable String orderId, @Valid @RequestBody CorrectReceipt request) {
		return this.receipts.correct(orderId, request.email());
	}

}
