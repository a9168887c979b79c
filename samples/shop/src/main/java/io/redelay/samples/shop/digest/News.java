package io.redelay.samples.shop.digest;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Size;

/**
 * A piece of news for a customer.
 */
record News(@NotBlank @Size(max = 200) String text) {

}
