document.body.textContent = 'Earshot'
